"""An application that uses the library `minutes`, and rewords one of its prompts."""

from __future__ import annotations

import minutes

from agentprompts import DEFAULT_PROMPTS, PromptError

ANSWER = "DECIDED: Ada sends the draft by Friday\nOPEN: the budget\n"


def main() -> None:
    """Take minutes in two languages, override a prompt of the library, and fail to break one."""
    prompts = DEFAULT_PROMPTS.copy()
    minutes.include(prompts)
    print(f"{len(prompts)} prompts, in {', '.join(prompts.locales)}")

    for locale in prompts.locales:
        asked: list[str] = []

        def model(prompt: str, asked: list[str] = asked) -> str:
            asked.append(prompt)
            return ANSWER

        taker = minutes.MinuteTaker(prompts.localized(locale), model)
        items = taker.take("Ada: I will send the draft by Friday. Bo: And the budget?")
        print(f"\n{locale}: {asked[0].splitlines()[0]}")
        print(taker.heading(len(items)))
        for item in items:
            print(f"- {item.outcome}: {item.text}")

    prompts.override({"minutes.heading": "What we agreed on ({count})"})
    print(f"\n{minutes.MinuteTaker(prompts, str).heading(2)}")
    try:
        prompts.override({"minutes.write": "Minutes, please: {transcript}"})
    except PromptError as error:
        print(f"{str(error).splitlines()[0]}")


if __name__ == "__main__":
    main()
