/** What is changed is derived from the registry; that enough of it is noticed is `npm run prove -- --mutants`. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allMachines } from '../../../machines/registry.ts'
import { survivors } from './survivors.ts'
import { tableMutants } from './table.ts'
import { tenthOf } from './tenth.ts'

interface Part {
  readonly [key: string]: unknown
}

/** Counts by walking everything, without a word about where rows may stand: what `table.ts` finds by knowing. */
function count(value: unknown, isRow: boolean): number {
  if (typeof value === 'string') return isRow ? 1 : 0
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + count(one, isRow), 0)
  if (value === null || typeof value !== 'object') return 0
  const part = value as Part
  if (isRow) {
    const { guard, target, actions } = part
    return (guard === undefined ? 0 : 3) + (target === undefined ? 0 : 1) + listed(actions)
  }
  return Object.entries(part).reduce((sum, [key, inner]) => sum + countOf(key, inner), 0)
}

function countOf(key: string, inner: unknown): number {
  if (key === 'entry' || key === 'exit') return listed(inner)
  if (key === 'always') return count(inner, true)
  if (key === 'on') return Object.values(inner as Part).reduce<number>((sum, rows) => sum + count(rows, true), 0)
  if (key === 'after') return Object.values(inner as Part).reduce<number>((sum, rows) => sum + count(rows, true) + 1, 0)
  if (key === 'states') return Object.values(inner as Part).reduce<number>((sum, state) => sum + count(state, false), 0)
  return 0
}

function listed(actions: unknown): number {
  return actions === undefined ? 0 : [actions].flat().length
}

describe('the mutants of the tables', () => {
  it('are every guard three times, every target, action and timer once, and every delay doubled', () => {
    const derived = allMachines.map(({ machine }) => {
      const delays = Object.keys(machine.implementations.delays).length
      return count(machine.config, false) + delays
    })
    const found = tableMutants()
    expect(found.length).toBe(derived.reduce((sum, one) => sum + one, 0))
    expect(found.length).toBeGreaterThan(2000)
    expect(new Set(found.map(({ name }) => name)).size).toBe(found.length)
  })

  it('differ each from the real machine, and are machines', () => {
    for (const { machine: kind, definitions } of tableMutants().filter((_one, index) => index % 50 === 0)) {
      const real = allMachines.find((one) => one.kind === kind)!.machine
      expect(definitions().find((one) => one.kind === kind)!.machine).not.toBe(real)
    }
  })

  it('fall into ten parts by their names', () => {
    const parts = new Set(tableMutants().map(({ name }) => tenthOf(name)))
    expect([...parts].toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })
})

describe('the mutants of the sources', () => {
  it('are switches in instrumented machines, found in every conjunct and every effect, and the list of survivors speaks of them only', () => {
    const folder = import.meta.dirname
    const said = execFileSync(
      process.execPath,
      [
        '--disable-warning=ExperimentalWarning',
        '--import',
        join(folder, 'instrument.ts'),
        join(folder, 'main.ts'),
        '--count',
      ],
      { encoding: 'utf8' },
    )
    const { count: all, names } = JSON.parse(said) as { readonly count: number; readonly names: readonly string[] }
    expect(all).toBeGreaterThan(tableMutants().length + 400)
    expect(new Set(names).size).toBe(all)
    expect([...survivors.keys()].filter((name) => !names.includes(name))).toEqual([])
  })
})
