/**
 * Finds places for a chart's states and lines, frame by frame from the inside: elkjs, layered, orthogonal.
 * Runs in development only (elkjs is no dependency of the product); its result is checked in.
 */
import { createRequire } from 'node:module'
import type { ELK as Elk, ElkExtendedEdge, ElkNode } from 'elkjs'
import type { MachineDefinition } from '../../../machines/definition.ts'
import type { Chart, ChartLine, ChartState } from './chart.ts'
import { graphOf, type Graph, type GraphLine, type GraphState } from './graph.ts'
import { joined, moved, type Placed } from './placed.ts'
import { branchSize, labelSize, lineText, stateSize, type Size } from './text-size.ts'

const { default: ElkEngine } = createRequire(import.meta.url)('elkjs') as { default: new () => Elk }

const margin = 16
const framePadding = 14
const statesPerRow = 3
const gapBetweenRegions = 18
/** A frame may be a third higher than wide: of the values tried this one gives the Task, the largest chart, the largest scale. */
const wantedAspect = 0.7

const options = {
  'elk.algorithm': 'layered',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.padding': '[top=0,left=0,bottom=0,right=0]',
  'elk.spacing.nodeNode': '22',
  'elk.spacing.edgeNode': '12',
  'elk.spacing.edgeEdge': '10',
  'elk.spacing.edgeLabel': '2',
  'elk.layered.spacing.nodeNodeBetweenLayers': '24',
  'elk.layered.spacing.edgeNodeBetweenLayers': '10',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '8',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.layered.feedbackEdges': 'true',
  'elk.layered.thoroughness': '60',
}

export async function chartOf({ kind, version, machine }: MachineDefinition): Promise<Chart> {
  const graph = graphOf(machine)
  const inner = moved(await placeChildren(graph, '', graph.states, graph.isParallel), margin, margin)
  const frames = await foldedFrames(graph)
  const states = new Map(frames.states.map(({ id, x, y, width, height }) => [id, { x, y, width, height }]))
  const lines = new Map(frames.lines.map((line) => [`${line.source} ${line.target}`, line]))
  return {
    kind,
    version,
    width: inner.width + 2 * margin,
    height: inner.height + 2 * margin,
    states: inner.states.map((state) => ({ ...state, folded: states.get(state.id) ?? state.folded })),
    lines: inner.lines.map((line) => {
      const { points = line.points, label } = lines.get(`${line.source} ${line.target}`) ?? {}
      return { ...line, folded: { points, ...(label === undefined ? {} : { label: { x: label.x, y: label.y } }) } }
    }),
  }
}

/** Each frame as it is with all branches inside it folded, from its own corner: from there the page opens them one by one. */
async function foldedFrames(graph: Graph): Promise<Pick<Placed, 'states' | 'lines'>> {
  const frames: Placed[] = [await placeChildren(graph, '', graph.states, graph.isParallel, true)]
  const add = async (states: readonly GraphState[]): Promise<void> => {
    for (const { id, kind, children } of states.filter((state) => state.children.length > 0)) {
      frames.push(await placeChildren(graph, id, children, kind === 'parallel', true))
      await add(children)
    }
  }
  await add(graph.states)
  return joined(frames)
}

async function placeState(graph: Graph, state: GraphState, isFolded = false): Promise<Placed> {
  const { children, ...own } = state
  const head = isFolded && children.length > 0 ? branchSize(state) : stateSize(state)
  if (isFolded || children.length === 0) return { ...head, states: [placedAt(own, head)], lines: [] }
  const inner = await placeChildren(graph, state.id, children, state.kind === 'parallel')
  const size = {
    width: Math.max(head.width, inner.width + 2 * framePadding),
    height: head.height + inner.height + framePadding,
  }
  const { states, lines } = moved(inner, framePadding, head.height)
  return { ...size, states: [placedAt(own, size), ...states], lines }
}

function placedAt(own: Omit<GraphState, 'children'>, size: Size): ChartState {
  return { ...own, x: 0, y: 0, ...size, folded: { x: 0, y: 0, ...size } }
}

async function placeChildren(
  graph: Graph,
  parent: string,
  children: readonly GraphState[],
  isParallel: boolean,
  isFolded = false,
): Promise<Placed> {
  const parts: Placed[] = []
  for (const child of children) parts.push(await placeState(graph, child, isFolded))
  const lines = graph.lines.filter((line) => line.parent === parent)
  const ways =
    lines.length > 0 || parts.length === 1
      ? await layeredWays(children, parts, lines, isFolded ? ['DOWN'] : ['RIGHT', 'DOWN'])
      : isParallel
        ? [stack(parts, true), stack(parts, false)]
        : [rows(parts)]
  return ways.toSorted((one, other) => cost(one) - cost(other))[0]!
}

async function layeredWays(
  children: readonly GraphState[],
  parts: readonly Placed[],
  lines: readonly GraphLine[],
  directions: readonly string[],
): Promise<readonly Placed[]> {
  const ways: Placed[] = []
  for (const direction of directions) {
    for (const placement of ['NETWORK_SIMPLEX', 'BRANDES_KOEPF', 'LINEAR_SEGMENTS']) {
      ways.push(
        await layered(children, parts, lines, {
          'elk.direction': direction,
          'elk.layered.nodePlacement.strategy': placement,
        }),
      )
    }
  }
  return ways
}

function cost({ width, height }: Size): number {
  return Math.max(width, height * wantedAspect)
}

/** States without a line between them are a list: read in rows. */
function rows(parts: readonly Placed[]): Placed {
  const stacked: Placed[] = []
  for (let at = 0; at < parts.length; at += statesPerRow) stacked.push(stack(parts.slice(at, at + statesPerRow), false))
  return stack(stacked, true)
}

/** Regions share no line: side by side, or under each other. */
function stack(parts: readonly Placed[], isDown: boolean): Placed {
  let at = 0
  const placed = parts.map((part) => {
    const here = moved(part, isDown ? 0 : at, isDown ? at : 0)
    at += (isDown ? part.height : part.width) + gapBetweenRegions
    return here
  })
  const along = at - gapBetweenRegions
  const across = Math.max(...parts.map((part) => (isDown ? part.width : part.height)))
  return { width: isDown ? across : along, height: isDown ? along : across, ...joined(placed) }
}

async function layered(
  children: readonly GraphState[],
  parts: readonly Placed[],
  lines: readonly GraphLine[],
  way: Readonly<Record<string, string>>,
): Promise<Placed> {
  const laid: ElkNode = await new ElkEngine().layout({
    id: 'frame',
    layoutOptions: { ...options, ...way },
    children: children.map(({ id }, index): ElkNode => ({
      id,
      width: parts[index]!.width,
      height: parts[index]!.height,
    })),
    edges: lines.map(toElkEdge),
  })
  const placed = (laid.children ?? []).map((node, index) =>
    moved(parts[index]!, Math.round(node.x ?? 0), Math.round(node.y ?? 0)),
  )
  const own = lines.map((line, index) => placedLine(line, laid.edges?.[index]))
  const { states, lines: inner } = joined(placed)
  return { width: Math.ceil(laid.width ?? 0), height: Math.ceil(laid.height ?? 0), states, lines: [...own, ...inner] }
}

function toElkEdge({ source, target, moves }: GraphLine, index: number): ElkExtendedEdge {
  const text = lineText(moves)
  const labels = text.length === 0 ? [] : [{ id: `label${index}`, text: text.join(' '), ...labelSize(text) }]
  return { id: `line${index}`, sources: [source], targets: [target], labels }
}

function placedLine({ source, target, isBothWays, moves }: GraphLine, laid: ElkExtendedEdge | undefined): ChartLine {
  const section = laid?.sections?.[0]
  if (section === undefined) throw new Error(`the layout lost ${source} -> ${target}`)
  const points = [section.startPoint, ...(section.bendPoints ?? []), section.endPoint].map(
    ({ x, y }): [number, number] => [Math.round(x), Math.round(y)],
  )
  const lines = lineText(moves)
  const label = laid?.labels?.[0]
  const place = label && { x: Math.round(label.x ?? 0), y: Math.round(label.y ?? 0), ...labelSize(lines), lines }
  const where = { points, ...(place === undefined ? {} : { label: place }) }
  return { source, target, isBothWays, moves: [...moves], ...where, folded: where }
}
