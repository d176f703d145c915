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

__all__ = ["Given", "Receiver", "Use", "Uses", "read_uses"]

_ASKING = {"render", "text", "ref", "origin", "get"}
_UPDATING = {"override", "with_overrides", "update_prompts"}
_METHODS = _ASKING | _UPDATING | {"register", "include", "namespace"}
_MAKING = {"PromptRegistry", "load_catalog", "chinese_registry"}
_DERIVING = {"copy", "snapshot", "localized", "with_overrides", "as_dict"}
_TYPES = {"PromptRegistry", "LocalizedRegistry"}
_NONE = ast.Tuple([])
_BY_NAME = re.compile(r"prompts|registry|catalog", re.IGNORECASE)


class Given(NamedTuple):
    """The values of a call: each name's place, whether it is text at all, and if all are known."""

    values: dict[str, tuple[Place, bool]]
    complete: bool


class Receiver(NamedTuple):
    """What a method is called on.

    `sure` is `True` for a registry, `False` for what has a registry's name, `None` for anything
    else. `prefix` is a namespace's. A ref or a template is a receiver of certain `keys`.
    """

    sure: bool | None = None
    prefix: Form = ()
    keys: tuple[Form, ...] | None = None


class Use(NamedTuple):
    """Keys where they are used: `name` is what the file calls the receiver.

    `slots` are those of a prompt that is registered, if they are known.
    """

    place: Place
    method: str
    name: str
    on: Receiver
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


_REGISTRY, _NAMESAKE, _OTHER = Receiver(True), Receiver(False), Receiver()


def read_uses(name: str, text: str, uses: Uses) -> None:
    """Add what a file says.

    Raises:
        SyntaxError: It is no Python. So are `ValueError`, `RecursionError` and `MemoryError`.
    """
    reader = _Reader(name, text.split("\n"), uses)
    tree = ast.parse(text)  # kept, for what is known of its nodes is kept by their `id`
    reader.walk(tree)
    for call, scope in reader.calls:
        reader.call(call, scope)
    for subscript, scope in reader.subscripts:
        reader.ask(subscript.slice, "[]", subscript.value, scope)
    for string, scope in reader.strings_seen:
        uses.patterns.update(reader.strings.of(string, scope))


@dataclass(slots=True)
class _Reader:
    name: str
    lines: list[str]
    uses: Uses
    strings: Strings = field(default_factory=Strings)
    known: dict[int, Receiver] = field(default_factory=dict)
    calls: list[tuple[ast.Call, Scope]] = field(default_factory=list)
    subscripts: list[tuple[ast.Subscript, Scope]] = field(default_factory=list)
    strings_seen: list[tuple[ast.JoinedStr, Scope]] = field(default_factory=list)

    def walk(self, tree: ast.Module) -> None:
        """Note every name and literal, and what may be a use."""
        todo: list[tuple[ast.AST, Scope]] = [(tree, Scope())]
        while todo:
            node, scope = todo.pop()
            match node:
                case ast.Constant(value=str() as value):
                    self.uses.literals.add(value)
                case ast.JoinedStr(values=[ast.Constant(), *_]):
                    self.strings_seen.append((node, scope))
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
        if isinstance(target, ast.Tuple):
            values: list[ast.expr | None] = [None] * len(target.elts)
            if isinstance(value, ast.Tuple) and len(value.elts) == len(values):
                values = [*value.elts]
            for one, its in zip(target.elts, values, strict=True):
                self._bind(scope, one, its)
        elif name := dotted(target):
            scope.bind(target, value, annotation)
            if scope.parent is None:
                self._constant(name, value)

    def _constant(self, name: str, value: ast.expr | None) -> None:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            self.uses.constants.setdefault(name, set()).add(value.value)

    # What an expression is

    def receiver(self, node: ast.expr, scope: Scope) -> Receiver:
        """Return the registry, namespace, ref or template that an expression is, if it is one."""
        if id(node) not in self.known:
            self.known[id(node)] = _OTHER  # what a name says of itself: `self.p = self.p.copy()`
            with suppress(RecursionError):  # a chain of hundreds of calls is no registry
                self.known[id(node)] = self._receiver(node, scope)
        return self.known[id(node)]

    def _receiver(self, node: ast.expr, scope: Scope) -> Receiver:
        match node:
            case ast.Name() | ast.Attribute() if name := dotted(node):
                return self._named(name, scope.find(name))
            case ast.Attribute(attr=name):
                return _by_name(name)
            case ast.BoolOp(values=parts):
                return _agreed([self.receiver(part, scope) for part in parts])
            case ast.IfExp(body=body, orelse=other):
                return _agreed([self.receiver(part, scope) for part in (body, other)])
            case ast.Subscript(value=value, slice=key):
                return self._of_key(self.receiver(value, scope), key, scope)
            case ast.Call(func=ast.Attribute(attr=method, value=value), args=args):
                return self._derived(method, self.receiver(value, scope), args, scope)
            case ast.Call(func=ast.Name(id=name)) if name in _MAKING:
                return _REGISTRY
        return _OTHER

    def _named(self, name: str, every: list[Bound]) -> Receiver:
        by_name = _by_name(name.rpartition(".")[2])
        if not every or id(every) in self.known:
            return self.known.get(id(every), by_name)
        self.known[id(every)] = by_name
        found = [_annotated(bound.annotation) for bound in every if bound.annotation is not None]
        if not any(one.sure for one in found):
            found = [self.receiver(b.value, b.scope) for b in every if b.value is not None]
        one = _agreed(found)
        self.known[id(every)] = known = by_name if one.sure is None else one
        return known

    def _derived(self, method: str, on: Receiver, args: list[ast.expr], scope: Scope) -> Receiver:
        if method in _MAKING or method == "get_prompts":
            return _REGISTRY
        if on.sure is not None and on.keys is None:
            if method in _DERIVING:
                return on
            if method == "namespace" and args:
                known = self.strings.of(args[0], scope)
                prefix = (*on.prefix, *(known[0] if len(known) == 1 else (None,)), ".")
                self.uses.prefixes.add(prefix)
                return Receiver(True, prefix)
            if method in ("ref", "get") and args:
                return self._of_key(on, args[0], scope)
        return _OTHER

    def _of_key(self, on: Receiver, key: ast.expr, scope: Scope) -> Receiver:
        if on.sure is None or on.keys is not None:
            return _OTHER
        return on._replace(keys=tuple(self.strings.of(key, scope)))

    # Uses

    def call(self, node: ast.Call, scope: Scope) -> None:
        """Take a call down, if it is one of a registry's methods."""
        func, home = node.func, scope
        if name := dotted(func):  # `say = self.prompts.render`
            bound = scope.find(name)
            if len(bound) == 1 and isinstance(bound[0].value, ast.Attribute):
                func, home = bound[0].value, bound[0].scope
        first = node.args[0] if node.args else None
        new = [key for key in first.keys if key] if isinstance(first, ast.Dict) else []
        if name.rpartition(".")[2] == "PromptRegistry":
            for key in new:
                self._add(key, "register", func, _REGISTRY, self.strings.of(key, scope))
        if name.rpartition(".")[2] == "FromCatalog" and first is not None:
            filled = node.args[1:2] or [one.value for one in node.keywords if one.arg == "values"]
            keys = self.strings.of(first, scope)
            self._add(first, "render", func, _REGISTRY, keys, self._given(filled, []))
        if not isinstance(func, ast.Attribute) or func.attr not in _METHODS:
            return
        method, value = func.attr, func.value
        on = self.receiver(value, home)
        if on.keys is not None:
            if method == "render":
                self._add(node, method, value, on, on.keys, self._given(node.args, node.keywords))
        elif method == "namespace":
            self.receiver(node, scope)
        elif method == "include":
            self._add(node, method, value, on, [(None,)])
        elif method == "register" and first is not None:
            keys = self.strings.of(first, scope) or [(None,)]
            self._add(first, method, value, on, keys, None, _declared(node))
        elif method in _UPDATING:
            for key in new:
                self.ask(key, method, value, home, scope)
        elif first is not None:
            given = self._given(node.args[1:], node.keywords) if method == "render" else None
            self.ask(first, method, value, home, scope, given)

    def ask(
        self,
        key: ast.expr,
        method: str,
        value: ast.expr,
        home: Scope,
        scope: Scope | None = None,
        given: Given | None = None,
    ) -> None:
        """Take a key down that something is asked for: `value` in `home`, `key` in `scope`."""
        on = self.receiver(value, home)
        if method == "update_prompts" and on.sure is None:
            on = _NAMESAKE
        if on.keys is None:
            self._add(key, method, value, on, self.strings.of(key, scope or home), given)

    def _add(
        self,
        at: ast.expr,
        method: str,
        value: ast.expr,
        on: Receiver,
        keys: Iterable[Form],
        given: Given | None = None,
        slots: tuple[str, ...] | None = None,
    ) -> None:
        if keys := tuple(keys):
            name = f"{self.name}:{dotted(value)}" if dotted(value) else ""
            self.uses.found.append(Use(self._place(at), method, name, on, keys, given, slots))

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


def _by_name(name: str) -> Receiver:
    if name == "DEFAULT_PROMPTS":
        return _REGISTRY
    return _NAMESAKE if _BY_NAME.search(name) else _OTHER


def _annotated(annotation: ast.expr) -> Receiver:
    words = set(re.findall(r"\w+", ast.unparse(annotation)))
    if "PromptNamespace" in words:
        return Receiver(True, (None,))
    if words & {"PromptRef", "PromptTemplate"}:
        return Receiver(True, (), ())
    return _REGISTRY if words & _TYPES else _OTHER


def _agreed(found: list[Receiver]) -> Receiver:
    """Return what all agree on: `prompts or DEFAULT_PROMPTS` is a registry, whichever it is."""
    known = [one for one in found if one.sure is not None]
    if len({one[1:] for one in known}) > 1:
        return Receiver(False, (None,))
    return max(known, key=lambda one: bool(one.sure), default=_OTHER)


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
