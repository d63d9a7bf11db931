/** What a run comes to: each attack refused, each control succeeded, and enough of both. */
import type { Lived, Profile, Suite } from './attack.ts'

/** Fewer attacks of a class prove little. */
export const leastOfClass = 8

export interface Outcome {
  readonly class: string
  readonly profile: Profile
  readonly isControl: boolean
  readonly lived: Lived
}

export interface ClassCount {
  readonly class: string
  readonly attacks: number
  readonly refused: number
  readonly controls: number
  readonly succeeded: number
  /** Controls that want root. */
  readonly skipped: number
}

/** An attack itself wants no rights: one that was not lived is a fault, whoever runs it. */
export function isSkipped({ isControl, lived }: Outcome): boolean {
  return isControl && lived.skipped !== undefined
}

export function countOf(name: string, outcomes: readonly Outcome[]): ClassCount {
  const own = outcomes.filter((outcome) => outcome.class === name)
  const [controls, attacks] = [own.filter(({ isControl }) => isControl), own.filter(({ isControl }) => !isControl)]
  const count = (of: readonly Outcome[], wanted: boolean): number =>
    of.filter(({ lived }) => lived.hasSucceeded === wanted).length
  return {
    class: name,
    attacks: attacks.length,
    refused: count(attacks, false),
    controls: controls.length,
    succeeded: count(controls, true),
    skipped: own.filter(isSkipped).length,
  }
}

/** A sentence for each that did not go as it must. */
export function faultsOf(suites: readonly Suite[], outcomes: readonly Outcome[]): readonly string[] {
  const thin = [...new Set(suites.map((suite) => suite.class))].filter((name) => namesOf(suites, name) < leastOfClass)
  return [
    ...thin.map((name) => `${name}: only ${namesOf(suites, name)} attacks; at least ${leastOfClass} make a class`),
    ...outcomes.flatMap((outcome) => faultOf(outcome) ?? []),
  ]
}

function namesOf(suites: readonly Suite[], name: string): number {
  return suites.filter((suite) => suite.class === name).reduce((sum, { attacks }) => sum + attacks.length, 0)
}

function faultOf(outcome: Outcome): string | undefined {
  const { class: name, profile, isControl, lived } = outcome
  if (lived.hasSucceeded === isControl || isSkipped(outcome)) return undefined
  const what = `${name}, ${lived.name} (${profile}, ${isControl ? 'the walls down' : 'the walls up'})`
  if (lived.hasSucceeded === undefined) return `${what}: could not be lived: ${lived.trouble ?? lived.skipped}`
  return isControl ? `${what}: the control was refused` : `${what}: THE ATTACK SUCCEEDED`
}

const columns = ['attacks', 'refused', 'controls', 'succeeded', 'skipped'] as const

export function table(counts: readonly ClassCount[]): string {
  const rows = counts.map((one) => [one.class, ...columns.map((column) => String(one[column]))])
  const sums = columns.map((column) => String(counts.reduce((sum, one) => sum + one[column], 0)))
  const all = [['class', ...columns], ...rows, ['all', ...sums]]
  const widths = all[0]!.map((_cell, column) => Math.max(...all.map((row) => row[column]!.length)))
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  ')
  return all.map(line).join('\n')
}
