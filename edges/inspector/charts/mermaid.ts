/** The chart as a Mermaid state diagram: for documents and comments that draw it themselves. */
import type { Chart, ChartLine, ChartState } from './chart.ts'

/** A line leads from neighbour to neighbour, as Mermaid wants it: it knows no arrow out of the inside of a state. */
export function mermaidOf(chart: Chart, active: ReadonlySet<string> = new Set()): string {
  const lit = chart.states.filter(({ id }) => active.has(id)).map(({ id }) => nameOf(id))
  const classes = lit.length === 0 ? [] : ['classDef active stroke-width:3px', `class ${lit.join(',')} active`]
  return `${['stateDiagram-v2', ...indented([...root(), ...classes])].join('\n')}\n`

  /** Mermaid divides regions inside a state only. */
  function root(): readonly string[] {
    const states = inside('')
    return states.includes('--') ? [`state "${chart.kind}" as ${chart.kind} {`, ...indented(states), '}'] : states
  }

  /**
   * States with states inside come first, arrows last. Mermaid lays frames out in the order in which it meets them, and
   * one that it meets after the frame around it may stay without a layout: it then draws nothing (11.17.2).
   */
  function inside(parent: string): readonly string[] {
    const children = chart.states.filter(({ id }) => parentOf(id) === parent)
    const blocks = children.map(blockOf)
    if (children[0]?.kind === 'region')
      return blocks.flatMap((block, index) => (index === 0 ? block : ['--', ...block]))
    const frames = blocks.filter((block) => block.length > 1)
    const leaves = blocks.filter((block) => block.length === 1)
    const lines = chart.lines.filter(({ source }) => parentOf(source) === parent)
    return [...[...frames, ...leaves, ...children.map(endsOf)].flat(), ...lines.flatMap(arrowsOf)]
  }

  function blockOf({ id, label }: ChartState): readonly string[] {
    const inner = inside(id)
    const head = `state "${label}" as ${nameOf(id)}`
    return inner.length === 0 ? [head] : [`${head} {`, ...indented(inner), '}']
  }

  function endsOf({ id, kind, initial }: ChartState): readonly string[] {
    return [...(initial ? [`[*] --> ${nameOf(id)}`] : []), ...(kind === 'final' ? [`${nameOf(id)} --> [*]`] : [])]
  }

  function nameOf(id: string): string {
    return `${chart.kind}.${id}`.replaceAll(/\W/g, '_')
  }

  function arrowsOf({ source, target, isBothWays, moves }: ChartLine): readonly string[] {
    const events = new Set(moves.flatMap((move) => move.events))
    const arrow = (from: string, to: string): string => `${nameOf(from)} --> ${nameOf(to)} : ${[...events].join(', ')}`
    return [arrow(source, target), ...(isBothWays ? [arrow(target, source)] : [])]
  }
}

function parentOf(id: string): string {
  return id.slice(0, Math.max(0, id.lastIndexOf('.')))
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`)
}
