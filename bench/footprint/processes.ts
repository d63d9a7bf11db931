import { readdirSync, readFileSync } from 'node:fs'

/** MiB of one process by PSS: a page that several map counts for each by its share. */
export interface Footprint {
  readonly pss: number
  /** The memory of WebAssembly: PGlite's shared buffers, caches and work. */
  readonly wasm: number
  /** Pages of files: programs and libraries. */
  readonly code: number
  /** All else: heaps of V8 and of C, compiled code, stacks. */
  readonly heap: number
}

export interface Found extends Footprint {
  readonly pid: number
  /** What it was started as: the word after the program. */
  readonly role: string
}

/** The process and all that it started, those of one machine's pods too. */
export function footprintsBelow(root: number): readonly Found[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap(parentOf),
  )
  const isBelow = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined && at > 1; at = parents.get(at))
      if (at === root) return true
    return false
  }
  return [...parents.keys()].filter(isBelow).flatMap(foundOf)
}

/** A step of work that has just ended holds nothing. */
function foundOf(pid: number): readonly Found[] {
  try {
    return [{ pid, role: roleOf(pid), ...footprintOf(pid) }]
  } catch {
    return []
  }
}

/** One that has just ended is none. */
function parentOf(name: string): readonly (readonly [number, number])[] {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return [[Number(name), Number(parent)]]
  } catch {
    return []
  }
}

function roleOf(pid: number): string {
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  const program = words.findIndex((word) => /\.(?:mjs|ts)$/.test(word))
  return program < 0 ? (words[0] ?? '') : (words[program + 1] ?? '')
}

interface Mapping {
  readonly begin: bigint
  readonly end: bigint
  readonly access: string
  readonly isFile: boolean
  readonly pssKb: number
}

export function footprintOf(pid: number): Footprint {
  return footprintIn(readFileSync(`/proc/${pid}/smaps`, 'utf8'))
}

/** Of the text of a `smaps`. */
export function footprintIn(text: string): Footprint {
  const mappings = text.split(/^(?=[\da-f]+-[\da-f]+ )/m).map(mappingOf)
  const sum = (list: readonly Mapping[]): number => list.reduce((total, { pssKb }) => total + pssKb, 0) / 1024
  const [pss, wasm, code] = [
    sum(mappings),
    sum(mappings.filter((one, at) => isWasm(one, mappings[at + 1]))),
    sum(mappings.filter(({ isFile }) => isFile)),
  ]
  return { pss, wasm, code, heap: pss - wasm - code }
}

function mappingOf(text: string): Mapping {
  const [, begin = '0', end = '0', access = '', path = ''] = /^(\S+)-(\S+) (\S+) \S+ \S+ \d+ *(.*)/.exec(text) ?? []
  return {
    begin: BigInt(`0x${begin}`),
    end: BigInt(`0x${end}`),
    access,
    isFile: path.startsWith('/'),
    pssKb: Number(/^Pss: +(\d+)/m.exec(text)?.[1] ?? 0),
  }
}

/** V8 reserves gigabytes behind each memory of WebAssembly, so that no access needs a check. */
const leastReserved = 2n ** 30n

function isWasm(one: Mapping, next: Mapping | undefined): boolean {
  if (next === undefined || one.isFile || !one.access.startsWith('rw')) return false
  return next.access.startsWith('---') && next.begin === one.end && next.end - next.begin >= leastReserved
}
