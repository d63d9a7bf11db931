/** The committed counts, `counts.json`: what a run is compared with, and what earlier commits had. */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Counts } from './count-cell.ts'

export const clientCounts = [1, 16, 128] as const
/** By the number of clients. */
export type Cells = Readonly<Record<string, Counts>>

export interface CountTable {
  /** The server's major version: another one writes another log. */
  readonly postgres: string
  readonly cells: Cells
  /** By commit, counted by today's code over the commit's own (BENCHMARKS.md, "Counts"). */
  readonly earlier: Readonly<Record<string, Cells>>
}

const tableUrl = new URL('./counts.json', import.meta.url)

export function readTable(): CountTable {
  return JSON.parse(readFileSync(tableUrl, 'utf8')) as CountTable
}

export function writeTable(table: CountTable): void {
  writeFileSync(tableUrl, `${JSON.stringify(table, undefined, 2)}\n`)
}

export function majorOf(version: string): string {
  return version.split('.')[0] ?? version
}
