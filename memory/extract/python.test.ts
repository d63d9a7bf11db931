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
