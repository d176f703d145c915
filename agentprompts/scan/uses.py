"""The uses of prompts in a file: on which registry, of which keys, with which values.

Nothing here recurses along a tree's depth: a sum of a thousand strings is an ordinary file.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from ..diagnostics import Place
from .scopes import Bound, Form, Scope, Strings, dotted

__all__ = ["Given", "Use", "Uses", "read_uses"]

_ASKING = {"render", "text", "ref", "origin", "get"}
_UPDATING = {"override", "with_overrides", "update_prompts"}
_METHODS = _ASKING | _UPDATING | {"register", "include", "namespace"}
_MAKING = {"PromptRegistry", "load_catalog", "chinese_registry"}
_DERIVING = {"copy", "snapshot", "localized", "with_overrides"}
_TYPES = {"PromptRegistry", "LocalizedRegistry"}
_NONE = ast.Tuple([])
_BY_NAME = re.compile(r"prompts|registry|catalog", re.IGNORECASE)


class Given(NamedTuple):
    """The values of a call: each name's place, whether it is text at all, and if all are known."""

    values: dict[str, tuple[Place, bool]]
    complete: bool


class Use(NamedTuple):
    """A key where it is used.

    `sure` is `True` for what is a registry, `False` for what has a registry's name or habits,
    `None` for anything else. `slots` are those of a prompt that is registered, if they are known.
    """

    place: Place
    method: str
    receiver: str
    sure: bool | None
    prefix: Form
    keys: tuple[Form, ...]
    given: Given | None = None
    slots: tuple[str, ...] | None = None


@dataclass(slots=True)
class Uses:
    """What all files together say."""

    found: list[Use] = field(default_factory=list)
    literals: set[str] = field(default_factory=set)
    patterns: set[Form] = field(default_factory=set)
    """Strings of which something is known, wherever they stand."""
    prefixes: set[Form] = field(default_factory=set)
    constants: dict[str, set[str]] = field(default_factory=dict)


class _Receiver(NamedTuple):
    """What a method is called on: a registry, or a ref or template of certain keys."""

    sure: bool
    prefix: Form = ()
    keys: tuple[Form, ...] | None = None


def read_uses(name: str, text: str, uses: Uses) -> None:
    """Add what a file says.

    Raises:
        SyntaxError: It is no Python. So are `ValueError`, `RecursionError` and `MemoryError`.
    """
    reader = _Reader(name, text.split("\n"), uses)
    tree = ast.parse(text)
    reader.walk(tree)
    for node, scope in reader.calls:
        reader.call(node, scope)
    for subscript, scope in reader.subscripts:
        base = reader.receiver(subscript.value, scope)
        reader.ask("[]", subscript.value, base, subscript.slice, None, scope)


@dataclass(slots=True)
class _Reader:
    name: str
    lines: list[str]
    uses: Uses
    strings: Strings = field(default_factory=Strings)
    known: dict[int, _Receiver | None] = field(default_factory=dict)
    calls: list[tuple[ast.Call, Scope]] = field(default_factory=list)
    subscripts: list[tuple[ast.Subscript, Scope]] = field(default_factory=list)

    def walk(self, tree: ast.Module) -> None:
        """Note every name and literal, and what may be a use."""
        todo: list[tuple[ast.AST, Scope]] = [(tree, Scope())]
        while todo:
            node, scope = todo.pop()
            match node:
                case ast.Constant(value=str() as value):
                    self.uses.literals.add(value)
                case ast.JoinedStr(values=[ast.Constant(), *_]):
                    self.uses.patterns.update(self.strings.of(node, Scope()))
                case ast.Call():
                    self.calls.append((node, scope))
                case ast.Subscript(ctx=ast.Load()):
                    self.subscripts.append((node, scope))
                case ast.Assign(targets=targets, value=given):
                    for target in targets:
                        self._bind(scope, target, given)
                case ast.AnnAssign() | ast.NamedExpr():
                    self._bind(scope, node.target, node.value, getattr(node, "annotation", None))
                case ast.ClassDef():
                    scope = Scope(scope, is_class=True)
                    if any(dotted(base).endswith("PromptsMixin") for base in node.bases):
                        scope.bind(ast.Name("prompts"), ast.Name("DEFAULT_PROMPTS"))
                    for line in node.body:  # an enum's members are constants, too
                        if isinstance(line, ast.Assign):
                            self._constant(f"{node.name}.{dotted(line.targets[0])}", line.value)
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
                    scope = Scope(scope)
                    args = node.args
                    for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs):
                        scope.bind(ast.Name(arg.arg), None, arg.annotation)
            todo += [(child, scope) for child in ast.iter_child_nodes(node)]

    def _bind(
        self,
        scope: Scope,
        target: ast.expr,
        value: ast.expr | None,
        annotation: ast.expr | None = None,
    ) -> None:
        if name := dotted(target):
            scope.bind(target, value, annotation)
            if scope.parent is None:
                self._constant(name, value)

    def _constant(self, name: str, value: ast.expr | None) -> None:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            self.uses.constants.setdefault(name, set()).add(value.value)

    # What an expression is

    def receiver(self, node: ast.expr, scope: Scope) -> _Receiver | None:
        """Return the registry, namespace, ref or template that an expression is, if it is one."""
        if id(node) not in self.known:
            self.known[id(node)] = None  # what a name says of itself: `self.p = self.p.copy()`
            with suppress(RecursionError):  # a chain of hundreds of calls is no registry
                self.known[id(node)] = self._receiver(node, scope)
        return self.known[id(node)]

    def _receiver(self, node: ast.expr, scope: Scope) -> _Receiver | None:
        match node:
            case ast.Name() | ast.Attribute() if name := dotted(node):
                return self._named(name, scope.find(name))
            case ast.Attribute(attr=name):
                return _by_name(name)
            case ast.BoolOp(values=parts):
                return _agreed(self.receiver(part, scope) for part in parts)
            case ast.IfExp(body=body, orelse=other):
                return _agreed(self.receiver(part, scope) for part in (body, other))
            case ast.Subscript(value=value, slice=key):
                return self._of_key(self.receiver(value, scope), key, scope)
            case ast.Call(func=ast.Attribute(attr=method, value=value), args=args):
                return self._derived(method, self.receiver(value, scope), args, scope)
            case ast.Call(func=ast.Name(id=name)) if name in _MAKING:
                return _Receiver(sure=True)
        return None

    def _named(self, name: str, every: list[Bound]) -> _Receiver | None:
        by_name = _by_name(name.rpartition(".")[2])
        if not every or id(every) in self.known:
            return self.known.get(id(every), by_name)
        self.known[id(every)] = by_name
        found: list[_Receiver | None] = []
        for bound in every:
            if bound.annotation is not None and (one := _annotated(bound.annotation)):
                found = [one]
                break
            if bound.value is not None:
                found.append(self.receiver(bound.value, bound.scope))
        self.known[id(every)] = known = _agreed(found) or by_name
        return known

    def _derived(
        self, method: str, base: _Receiver | None, args: list[ast.expr], scope: Scope
    ) -> _Receiver | None:
        if method in _MAKING or method == "get_prompts":
            return _Receiver(sure=True)
        if base is None or base.keys is not None:
            return None
        if method in _DERIVING or method == "as_dict":
            return base
        if method == "namespace" and args:
            known = self.strings.of(args[0], scope)
            prefix = (*base.prefix, *(known[0] if len(known) == 1 else (None,)), ".")
            self.uses.prefixes.add(prefix)
            return _Receiver(True, prefix)
        return self._of_key(base, args[0], scope) if method in ("ref", "get") and args else None

    def _of_key(self, base: _Receiver | None, key: ast.expr, scope: Scope) -> _Receiver | None:
        if base is None or base.keys is not None:
            return None
        return base._replace(keys=tuple(self.strings.of(key, scope)))

    # Uses

    def call(self, node: ast.Call, scope: Scope) -> None:
        """Take a call down, if it is one of a registry's methods."""
        func, home = node.func, scope
        if name := dotted(func):  # `say = self.prompts.render`
            bound = scope.find(name)
            if len(bound) == 1 and isinstance(bound[0].value, ast.Attribute):
                func, home = bound[0].value, bound[0].scope
        if name.rpartition(".")[2] == "PromptRegistry" and node.args:
            self._update("register", func, _Receiver(sure=True), node.args[0], scope)
            return
        if not isinstance(func, ast.Attribute) or func.attr not in _METHODS:
            return
        base = self.receiver(func.value, home)
        if func.attr == "namespace":
            self.receiver(node, scope)
        elif func.attr == "include":
            if base is not None:
                self._add(node, "include", func.value, base, ((None,),))
        elif base is not None and base.keys is not None:
            if func.attr == "render":
                given = self._given(node.args, node.keywords)
                self._add(node, "render", func.value, base, base.keys, given)
        elif not node.args:
            pass
        elif func.attr in _UPDATING:
            if base is None and func.attr == "update_prompts":
                base = _Receiver(sure=False)
            self._update(func.attr, func.value, base, node.args[0], scope)
        elif func.attr == "register":
            slots = _declared(node)
            keys = tuple(self.strings.of(node.args[0], scope)) or ((None,),)
            self._add(node.args[0], "register", func.value, base, keys, slots=slots)
        else:
            given = None
            if func.attr == "render":
                given = self._given(node.args[1:], node.keywords)
            self.ask(func.attr, func.value, base, node.args[0], given, scope)

    def ask(
        self,
        method: str,
        on: ast.expr,
        base: _Receiver | None,
        key: ast.expr,
        given: Given | None,
        scope: Scope,
    ) -> None:
        """Take a key down that something is asked for."""
        if (base is None or base.keys is None) and (keys := tuple(self.strings.of(key, scope))):
            self._add(key, method, on, base, keys, given)

    def _update(
        self, method: str, on: ast.expr, base: _Receiver | None, new: ast.expr, scope: Scope
    ) -> None:
        if isinstance(new, ast.Dict):
            for key in new.keys:
                if key is not None and (keys := tuple(self.strings.of(key, scope))):
                    self._add(key, method, on, base, keys)

    def _add(
        self,
        at: ast.expr,
        method: str,
        on: ast.expr,
        base: _Receiver | None,
        keys: tuple[Form, ...],
        given: Given | None = None,
        slots: tuple[str, ...] | None = None,
    ) -> None:
        sure, prefix = (None, ()) if base is None else base[:2]
        place = self._place(at)
        name = f"{self.name}:{dotted(on)}" if dotted(on) else ""
        self.uses.found.append(Use(place, method, name, sure, prefix, keys, given, slots))

    def _given(self, args: list[ast.expr], keywords: list[ast.keyword]) -> Given:
        values: dict[str, tuple[Place, bool]] = {}
        complete = len(args) < 2
        for arg in args[:1]:
            if not isinstance(arg, ast.Dict):
                complete = complete and isinstance(arg, ast.Constant) and arg.value is None
                continue
            for key, value in zip(arg.keys, arg.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    values[key.value] = self._place(key), _is_text(value)
                else:
                    complete = False
        for keyword in keywords:
            if keyword.arg is None:
                complete = False
            else:
                values[keyword.arg] = self._place(keyword), _is_text(keyword.value)
        return Given(values, complete)

    def _place(self, node: ast.expr | ast.keyword) -> Place:
        line = self.lines[node.lineno - 1] if node.lineno <= len(self.lines) else ""
        before = line.encode()[: node.col_offset]  # the tree counts bytes
        return Place(node.lineno, len(before.decode(errors="replace")) + 1, self.name)


def _by_name(name: str) -> _Receiver | None:
    if name == "DEFAULT_PROMPTS":
        return _Receiver(sure=True)
    return _Receiver(sure=False) if _BY_NAME.search(name) else None


def _annotated(annotation: ast.expr) -> _Receiver | None:
    words: set[str] = set()
    for node in ast.walk(annotation):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                words.add(name)
            case ast.Constant(value=str() as text):
                words.update(re.findall(r"\w+", text))
    if "PromptNamespace" in words:
        return _Receiver(True, (None,))
    if words & {"PromptRef", "PromptTemplate"}:
        return _Receiver(True, (), ())
    return _Receiver(sure=True) if words & _TYPES else None


def _agreed(found: Iterable[_Receiver | None]) -> _Receiver | None:
    """Return what all agree on: `prompts or DEFAULT_PROMPTS` is a registry, whichever it is."""
    known = [one for one in found if one is not None]
    if not known:
        return None
    one = max(known, key=lambda each: each.sure)
    same = all(each.prefix == one.prefix and each.keys == one.keys for each in known)
    return one if same else _Receiver(False, (None,))


def _declared(call: ast.Call) -> tuple[str, ...] | None:
    """Return the slots of a call of `register`, where it says them in so many words."""
    template = call.args[1] if len(call.args) > 1 else None
    if isinstance(template, ast.Call) and dotted(template.func).endswith("PromptTemplate"):
        call = template
    elif not isinstance(template, ast.Constant):
        return None
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    try:
        return None if None in given else tuple(ast.literal_eval(given.get("variables", _NONE)))
    except (ValueError, TypeError):
        return None


def _is_text(value: ast.expr) -> bool:
    return not (isinstance(value, ast.Constant) and isinstance(value.value, bytes | None))
