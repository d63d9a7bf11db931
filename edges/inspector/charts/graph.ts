/** A machine as a graph: its states with their rows, and the arrows between them. No places yet. */
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import { eventName } from './event-name.ts'
import { actionNames, guardName } from './names.ts'
import type { ChartMove, ChartRow, ChartState } from './chart.ts'

export interface GraphState extends Omit<ChartState, 'x' | 'y' | 'width' | 'height' | 'folded'> {
  readonly children: readonly GraphState[]
}

/** From one child of `parent` to another; the root's path is empty. */
export interface GraphLine {
  readonly parent: string
  readonly source: string
  readonly target: string
  readonly isBothWays: boolean
  readonly moves: readonly ChartMove[]
}

export interface Graph {
  readonly isParallel: boolean
  readonly states: readonly GraphState[]
  readonly lines: readonly GraphLine[]
}

interface Row extends ChartRow {
  readonly source: string
}

export function graphOf(machine: AnyStateMachine): Graph {
  const rows = rowsBelow(machine.root)
  return {
    isParallel: machine.root.type === 'parallel',
    states: childrenOf(machine.root, rows),
    lines: linesOf(movesOf(rows)),
  }
}

function pathOf(node: AnyStateNode): string {
  return node.path.join('.')
}

function isAround(outer: string, inner: string): boolean {
  return outer === '' || inner.startsWith(`${outer}.`)
}

function rowsBelow(node: AnyStateNode): readonly Row[] {
  const own = [...[...node.transitions.values()].flat(), ...(node.always ?? [])]
  const rows = own.flatMap((row) => {
    const guard = row.guard === undefined ? {} : { guard: guardName(row.guard) }
    const names = unique(row.actions.flatMap(actionNames))
    const actions = names.length === 0 ? {} : { actions: names }
    const base = { source: pathOf(node), event: eventName(row.eventType), ...guard, ...actions }
    const targets: readonly AnyStateNode[] = row.target ?? []
    return targets.length === 0 ? [base] : targets.map((target) => ({ ...base, target: pathOf(target) }))
  })
  return [...rows, ...Object.values(node.states).flatMap((child) => rowsBelow(child))]
}

function childrenOf(node: AnyStateNode, rows: readonly Row[]): readonly GraphState[] {
  return Object.values(node.states).map((child) => stateOf(child, rows))
}

function stateOf(node: AnyStateNode, rows: readonly Row[]): GraphState {
  const id = pathOf(node)
  const { owner, reason, unblocks } = (node.meta ?? {}) as Partial<Record<'owner' | 'reason' | 'unblocks', string>>
  return {
    id,
    label: node.key,
    kind: kindOf(node),
    initial: node.parent?.config.initial === node.key,
    fromAround: unique(rows.filter((row) => row.target === id && isNested(row.source, id)).map(({ event }) => event)),
    ...(owner === undefined ? {} : { owner }),
    ...(reason === undefined ? {} : { reason }),
    ...(unblocks === undefined || unblocks === '' ? {} : { unblocks }),
    rows: rows.filter((row) => row.source === id).map(({ source: _source, ...row }) => row),
    children: childrenOf(node, rows),
  }
}

function kindOf(node: AnyStateNode): GraphState['kind'] {
  if (node.parent?.type === 'parallel') return 'region'
  if (node.type === 'final' || node.type === 'parallel' || node.type === 'compound') return node.type
  return 'atomic'
}

function isNested(one: string, other: string): boolean {
  return one !== other && (isAround(one, other) || isAround(other, one))
}

function movesOf(rows: readonly Row[]): readonly ChartMove[] {
  const moves = new Map<string, ChartMove>()
  for (const { source, target, event } of rows) {
    if (target === undefined || target === source || isNested(source, target)) continue
    const move = moves.get(`${source} ${target}`) ?? { source, target, events: [] }
    moves.set(`${source} ${target}`, move)
    if (!move.events.includes(event)) move.events.push(event)
  }
  return [...moves.values()]
}

/** A line runs between the two neighbours that hold source and target, so that no line crosses a frame. */
function linesOf(moves: readonly ChartMove[]): readonly GraphLine[] {
  const lines = new Map<string, GraphLine & { readonly moves: ChartMove[] }>()
  for (const move of moves) {
    const ends = neighbours(move.source.split('.'), move.target.split('.'))
    const key = `${ends.source} ${ends.target}`
    const line = lines.get(key) ?? { ...ends, isBothWays: false, moves: [] }
    lines.set(key, line)
    line.moves.push(move)
  }
  return foldBack([...lines.values()])
}

/** Two eventless lines between the same states are one with two heads. */
function foldBack(lines: readonly GraphLine[]): readonly GraphLine[] {
  const isEventless = ({ moves }: GraphLine): boolean =>
    moves.every(({ events }) => events.every((event) => event === 'always'))
  const backOf = (line: GraphLine): GraphLine | undefined =>
    isEventless(line)
      ? lines.find((other) => other.source === line.target && other.target === line.source && isEventless(other))
      : undefined
  return lines.flatMap((line) => {
    const back = backOf(line)
    if (back === undefined) return [line]
    return lines.indexOf(line) < lines.indexOf(back)
      ? [{ ...line, isBothWays: true, moves: [...line.moves, ...back.moves] }]
      : []
  })
}

function neighbours(
  source: readonly string[],
  target: readonly string[],
): Pick<GraphLine, 'parent' | 'source' | 'target'> {
  const depth = source.findIndex((key, index) => key !== target[index])
  const until = (path: readonly string[], end: number): string => path.slice(0, end).join('.')
  return { parent: until(source, depth), source: until(source, depth + 1), target: until(target, depth + 1) }
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}
