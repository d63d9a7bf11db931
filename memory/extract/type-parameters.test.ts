import { expect, test } from 'vitest'
import { edgesOf } from './testing/folder.ts'

const queue = `export interface Queue<T> { remove(id: string): void; filter(): T[] }
export class Plain<T> implements Queue<T> { remove(id: string): void {} filter(): T[] { return [] } }`

test('TypeScript: a call on a type parameter leads to the method of its constraint (EXTRACTION-11)', async () => {
  const edges = await edgesOf(
    {
      'queue.ts': queue,
      'main.ts': `import { Plain, type Queue } from './queue.ts'
export class Runner<Item, QueueType extends Queue<Item> = Plain<Item>> {
  readonly #queue: QueueType
  constructor(make: new () => QueueType) { this.#queue = new make() }
  drop(id: string): void { this.#queue.remove(id); this.#queue.filter() }
}
export function drop<T extends Queue<string>>(queue: T): void { queue.remove('x') }`,
    },
    'calls',
  )
  expect(edges).toEqual([
    'main.ts#Runner.drop calls queue.ts#Queue.filter 0.95',
    'main.ts#Runner.drop calls queue.ts#Queue.remove 0.95',
    'main.ts#drop calls queue.ts#Queue.remove 0.95',
  ])
})

test('TypeScript: a type parameter hides a type of its name, and two classes have each their own (EXTRACTION-11)', async () => {
  const edges = await edgesOf(
    {
      'main.ts': `class T { open(): void {} }
class A { open(): void {} }
class B { open(): void {} }
class One<U extends A> { constructor(private readonly held: U) {} run(): void { this.held.open() } }
class Two<U extends B> { constructor(private readonly held: U) {} run(): void { this.held.open() } }
function any<T>(given: T): void { given.open() }`,
    },
    'calls',
  )
  expect(edges).toEqual(['main.ts#One.run calls main.ts#A.open 0.95', 'main.ts#Two.run calls main.ts#B.open 0.95'])
})

test('TypeScript: the parameters of a signature are no names of the file around it', async () => {
  const edges = await edgesOf(
    {
      'main.ts': `class Other { remove(): void {} }
class Queue { remove(): void {} }
export interface Task { start(queue: Other): void }
const queue = new Queue()
export function drop(): void { queue.remove() }`,
    },
    'calls',
  )
  expect(edges).toContain('main.ts#drop calls main.ts#Queue.remove 0.95')
})

test.each([
  [
    'typescript',
    {
      'main.ts': `class T {}
class A {}
class Holder<T extends A> { held!: T; get(): T { return this.held } }
export function any<T>(given: T): T[] { return [given] }
type Mapped<M> = { [T in keyof M]: T }
type Inner<M> = M extends (infer T)[] ? T : never
function real(given: T): void {}
`,
    },
    ['main.ts#Holder uses main.ts#A 1', 'main.ts#real uses main.ts#T 1'],
  ],
  [
    'python',
    {
      'main.py': `class T: pass
class A: pass
class Holder[T: A]:
    def get(self, other: T) -> list[T]: pass
def any_of[T, *Ts](given: T) -> T: pass
def real(given: T): pass
`,
    },
    ['main.py#Holder uses main.py#A 1', 'main.py#real uses main.py#T 1'],
  ],
  [
    'go',
    {
      'go.mod': 'module example.org/a\n',
      'main.go': `package a

type T struct{}
type Num interface{ ~int }
type Holder[T Num] struct{ held []T }

func (h *Holder[T]) Get(other T) T { return other }
func anyOf[T Num](given []T) {}
func real(given T) {}
`,
    },
    ['main.go#Holder uses main.go#Num 1', 'main.go#anyOf uses main.go#Num 1', 'main.go#real uses main.go#T 1'],
  ],
] as const)(
  '%s: a type parameter is no use of the type of its name, nor each time of its constraint (EXTRACTION-3)',
  async (_name, files, edges) => {
    expect(await edgesOf(files, 'uses')).toEqual(edges)
  },
)
