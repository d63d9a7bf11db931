import { expect, test } from 'vitest'
import { edgesOf, extractFrom, folderOf } from './testing/folder.ts'

test('Python: super() calls nothing by itself, and its method is that of the first base that has it (EXTRACTION-2)', async () => {
  const edges = await edgesOf(
    {
      'bases.py': `class Named:
    def name(self): pass

class Base(Named):
    def __init__(self): pass
    def stop(self): pass

class Mixin:
    def log(self): pass
`,
      'app.py': `from collections import UserDict
from bases import Base, Mixin

class App(Base, Mixin):
    def __init__(self):
        super().__init__()
        super(App, self).stop()
    def log(self):
        super().log()
        super().name()

class Store(UserDict):
    def __init__(self):
        super().__init__()
        super().log()
`,
    },
    'calls',
  )
  expect(edges).toEqual(
    [
      'app.py#App.__init__ calls bases.py#Base.__init__ 0.95',
      'app.py#App.__init__ calls bases.py#Base.stop 0.95',
      'app.py#App.log calls bases.py#Mixin.log 0.95',
      'app.py#App.log calls bases.py#Named.name 0.95',
    ].toSorted(),
  )
})

test('Python: calls lead to the implementation of overloads, which alone is an entity (EXTRACTION-2)', async () => {
  const files = {
    'a.py': `import typing
import typing as t
from typing import overload
from typing_extensions import overload as other, TYPE_CHECKING

class Signer:
    @t.overload
    def unsign(self, value: str) -> str: ...
    @typing.overload
    def unsign(self, value: bytes) -> bytes: ...
    def unsign(self, value):
        return parse(value)
    def validate(self):
        self.unsign('a')

@overload
def parse(value: str) -> str: ...
@overload
def parse(value: bytes) -> bytes: ...
def parse(value): return value

if TYPE_CHECKING:
    def make() -> Signer: ...
else:
    def make(): return Signer()

def run():
    parse('a')
    make().validate()
`,
  }
  expect(await edgesOf(files, 'calls')).toEqual(
    [
      'a.py#Signer.unsign calls a.py#parse 1',
      'a.py#Signer.validate calls a.py#Signer.unsign 1',
      'a.py#make calls a.py#Signer 1',
      'a.py#run calls a.py#Signer.validate 0.85',
      'a.py#run calls a.py#make 1',
      'a.py#run calls a.py#parse 1',
    ].toSorted(),
  )
  const { pieces } = await extractFrom(folderOf(files))
  const entities = pieces.flatMap((piece) => piece.entities.map(({ id, line }) => `${id} ${line}`))
  expect(entities).toEqual([
    'a.py 1',
    'a.py#Signer 6',
    'a.py#Signer.unsign 11',
    'a.py#Signer.validate 13',
    'a.py#parse 20',
    'a.py#make 25',
    'a.py#run 27',
  ])
})

test('Python: stubs that nothing implements are one entity', async () => {
  const { pieces } = await extractFrom(
    folderOf({
      'a.pyi': `from typing import overload
@overload
def parse(value: str) -> str: ...
@overload
def parse(value: bytes) -> bytes: ...
`,
    }),
  )
  expect(pieces.flatMap(({ entities }) => entities.map(({ id }) => id))).toEqual(['a.pyi', 'a.pyi#parse'])
})

test('Python: a property stands for what it returns, and its setter calls nothing by being one (EXTRACTION-2)', async () => {
  const edges = await edgesOf(
    {
      'a.py': `from functools import cached_property

class Engine:
    def start(self): pass
    def setter(self): pass

class Car:
    @property
    def engine(self) -> Engine: return make()
    @engine.setter
    def engine(self, value): self.check()
    @cached_property
    def spare(self): return Engine()
    def check(self): pass
    def run(self):
        self.engine.start()
        self.spare.start()
        self.engine()
`,
    },
    'calls',
  )
  expect(edges).toEqual(
    [
      'a.py#Car.engine~2 calls a.py#Car.check 1',
      'a.py#Car.run calls a.py#Engine.start 0.85',
      'a.py#Car.spare calls a.py#Engine 1',
    ].toSorted(),
  )
})

test('standard libraries have the name of their language, packages that of their registry (EXTRACTION-2)', async () => {
  const edges = await edgesOf(
    {
      'a.py': 'import json\nimport os.path\nimport attrs\nfrom yaml.nodes import Node\n',
      'a.ts': `import 'fs'\nimport 'node:fs/promises'\nimport 'zod'`,
      'a.go': 'package a\n\nimport (\n\t"net/http"\n\t"golang.org/x/net"\n)\n',
      'src/a.rs': 'use std::io::Read;\nuse proc_macro::TokenStream;\nuse serde::Serialize;\n',
      'a.c': '#include <stdio.h>\n',
      'A.java': 'package a;\nimport java.util.List;\n',
    },
    'imports',
  )
  expect(edges.map((each) => each.split(' ').slice(0, 3).join(' '))).toEqual(
    [
      'a.py imports python:json',
      'a.py imports python:os',
      'a.py imports pypi:attrs',
      'a.py imports pypi:yaml',
      'a.ts imports node:fs',
      'a.ts imports node:fs/promises',
      'a.ts imports npm:zod',
      'a.go imports go:net/http',
      'a.go imports gomod:golang.org/x/net',
      'src/a.rs imports rust:std',
      'src/a.rs imports rust:proc_macro',
      'src/a.rs imports crate:serde',
      'a.c imports c:stdio.h',
      'A.java imports java:java.util',
    ].toSorted(),
  )
})

test('Python: an element has the type that the iterable says, in loops, comprehensions, by key and by method (EXTRACTION-2)', async () => {
  const edges = await edgesOf(
    {
      'signer.py': `class Signer:
    def unsign(self): pass
    def sign(self): pass
    def salt(self): pass
`,
      'app.py': `import collections.abc as cabc
import typing as t
from signer import Signer

class App:
    signers: dict[str, list[Signer]]
    named: t.Mapping[str, Signer] = {}
    kind: type[Signer] = Signer
    def each(self) -> cabc.Iterator[Signer]: ...
    def all(self) -> t.List["Signer"]: ...
    def made(self) -> t.Generator[Signer, None, None]: ...
    def loop(self):
        for signer in self.each(): signer.unsign()
    def comprehension(self): return [each.unsign() for each in reversed(self.all())]
    def values(self):
        for signer in self.named.values(): signer.unsign()
    def items(self):
        for name, signer in self.named.items(): signer.unsign()
    def enumerated(self):
        for place, signer in enumerate(self.made()): signer.unsign()
    def by_key(self): self.named['a'].unsign()
    def by_method(self): self.named.get('a').unsign()
    def nested(self): self.signers['a'][0].unsign()
    def make(self): self.kind().unsign()

def several(*signers: Signer, **more: Signer):
    for signer in signers: signer.unsign()
    more['a'].sign()

def pair(both: tuple[Signer, ...], two: tuple[str, Signer]):
    for one in both: one.unsign()
    for other in two: other.sign()

def keys(named: dict[str, Signer]):
    for name in named: name.salt()

def own(signers: list[Signer]):
    signers.salt()
`,
    },
    'calls',
  )
  const within = (name: string): string => `app.py#${name} calls signer.py#Signer.unsign 0.85`
  expect(edges.filter((edge) => !edge.includes(' calls app.py#'))).toEqual(
    [
      ...['loop', 'comprehension', 'enumerated'].map((name) => within(`App.${name}`)),
      ...['values', 'items', 'by_key', 'by_method', 'nested', 'make'].map((name) =>
        within(`App.${name}`).replace('0.85', '0.95'),
      ),
      'app.py#App.make calls signer.py#Signer 0.95',
      'app.py#several calls signer.py#Signer.unsign 0.95',
      'app.py#several calls signer.py#Signer.sign 0.95',
      'app.py#pair calls signer.py#Signer.unsign 0.95',
      'app.py#pair calls signer.py#Signer.sign 0.65',
      'app.py#keys calls signer.py#Signer.salt 0.65',
    ].toSorted(),
  )
})

test('TypeScript: an element of a list or a map has the type that is declared for it (EXTRACTION-2)', async () => {
  const edges = await edgesOf(
    {
      'a.ts': `class Item { open(): void {} }
class Box {
  constructor(private readonly items: readonly Item[], private readonly byName: Map<string, Set<Item>>) {}
  loop(): void { for (const item of this.items) item.open() }
  index(): void { this.items[0].open() }
  find(): void { this.items.find(Boolean).open() }
  map(): void { for (const each of this.byName.get('a')) each.open() }
  keys(): void { for (const key in this.items) key.open() }
}`,
    },
    'calls',
  )
  expect(edges.filter((edge) => edge.includes('Item.open'))).toEqual(
    ['find', 'index', 'loop', 'map'].map((name) => `a.ts#Box.${name} calls a.ts#Item.open 0.95`),
  )
})

test("Python: a class's attribute is no name of the module, nor of its methods (EXTRACTION-2)", async () => {
  const edges = await edgesOf(
    {
      'a.py': `class Logger:
    def debugging(self): pass

class Other:
    def debugging(self): pass

class App:
    log = Logger()
    log.debugging()
    def run(self): log.debugging()

log = Other()

def run(): log.debugging()
`,
    },
    'calls',
  )
  expect(edges.filter((edge) => edge.includes('debugging'))).toEqual(
    [
      'a.py#App calls a.py#Logger.debugging 0.95',
      'a.py#App.run calls a.py#Other.debugging 0.95',
      'a.py#run calls a.py#Other.debugging 0.95',
    ].toSorted(),
  )
})

test('Python: a module that is imported by name from its package is imported, beside the package (EXTRACTION-2)', async () => {
  const edges = await edgesOf(
    {
      'pkg/__init__.py': '',
      'pkg/core.py': 'def run(): pass\n',
      'pkg/use.py': 'from . import core\n\ndef main(): core.run()\n',
    },
    'imports',
    'calls',
  )
  expect(edges).toEqual(
    [
      'pkg/use.py imports pkg/__init__.py 1',
      'pkg/use.py imports pkg/core.py 1',
      'pkg/use.py#main calls pkg/core.py#run 1',
    ].toSorted(),
  )
})

test('Python: texts in Literal and Annotated are no types, and a type in brackets is a use alone (EXTRACTION-3)', async () => {
  const edges = await edgesOf(
    {
      'a.py': `import typing as t
class A: pass
class B: pass
class C: pass
def literal(x: t.Literal["A", 'B']) -> "C": pass
def annotated(x: t.Annotated[A, "B is good", "C"]): pass
def listening(x: t.Callable[[A], None]): pass
def handed(x: A = f([B])): pass
`,
    },
    'uses',
    'references',
  )
  expect(edges).toEqual([
    'a.py#annotated uses a.py#A 1',
    'a.py#handed references a.py#B 1',
    'a.py#handed uses a.py#A 1',
    'a.py#listening uses a.py#A 1',
    'a.py#literal uses a.py#C 1',
  ])
})

test('Python: a base is no reference beside, what is in its brackets is a use, and a tuple hands on its names (EXTRACTION-3)', async () => {
  const edges = await edgesOf(
    {
      'a.py': `class Meta(type): pass
class Item: pass
class Base: pass
class Box(Base, metaclass=Meta): pass
class Items(Box[Item]): pass
def either(x): return isinstance(x, (Item, Base))
`,
    },
    'extends',
    'references',
    'uses',
  )
  expect(edges).toEqual([
    'a.py#Box extends a.py#Base 1',
    'a.py#Box references a.py#Meta 1',
    'a.py#Items extends a.py#Box 1',
    'a.py#Items uses a.py#Item 1',
    'a.py#either references a.py#Base 1',
    'a.py#either references a.py#Item 1',
  ])
})

test('Python: a class that an attribute of a class is set to is handed on (EXTRACTION-3)', async () => {
  const edges = await edgesOf(
    {
      'a.py': `class Item: pass
class Box:
    item_class = Item
    other = item_class
    count: int = 1
`,
    },
    'references',
  )
  expect(edges).toEqual(['a.py#Box references a.py#Item 1'])
})

test('Python: a type that is one long text without an end is read at once, and so is one of a thousand texts (EXTRACTION-3)', async () => {
  const texts = (count: number): string => "'a', ".repeat(count)
  const files = {
    'a.py': `class A: pass
def one(a: "Literal[${texts(60)}") -> A: pass
def two(a: Annotated[A, ${texts(20_000)}]) -> A: pass
`,
  }
  expect(await edgesOf(files, 'uses')).toEqual(['a.py#one uses a.py#A 1', 'a.py#two uses a.py#A 1'])
}, 20_000)
