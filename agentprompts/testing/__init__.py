"""Help for your own tests: which prompts are read, what was hard-coded, whether overrides arrive.

- `recorder` `Recorder`, a registry that takes down what is read from it
- `leaks` the leak test: run under the pseudo-locale, and what comes out unmarked was hard-coded
- `assertions` contracts, and overrides that must arrive
- `plugin` the same as pytest's fixtures: `recorded_prompts`, `pseudo_prompts`
"""

from .assertions import assert_contracts, assert_no_leaks, assert_override_arrives
from .leaks import leaks, pseudo_registry
from .recorder import Read, Recorder

__all__ = [
    "Read",
    "Recorder",
    "assert_contracts",
    "assert_no_leaks",
    "assert_override_arrives",
    "leaks",
    "pseudo_registry",
]
