/** What lists show of each kind of actor beside its state, and find it by. */
import type { ActorKind, Listed, MachineDefinition } from '../definition.ts'
import type { IssueContext } from '../issue/context.ts'
import type { MergeRequestContext } from '../merge-request/context.ts'
import type { PodContext } from '../pod/context.ts'
import { machines } from '../registry.ts'
import type { TurnContext } from '../turn/context.ts'
import { commitsOf, taskTexts, words } from './task-texts.ts'
import { clipped } from './title.ts'

/** Rises with each change of what is said below. */
const version = 3

const of: { readonly [K in ActorKind]?: (context: never, path: string) => Readonly<Record<string, string>> } = {
  task: taskTexts,
  issue: ({ facts, owner }: IssueContext) => (facts === null ? {} : { ...thread(facts, '#'), task: owner }),
  'merge-request': ({ facts, owner }: MergeRequestContext) =>
    facts === null ? {} : { ...thread(facts, '!'), task: owner, commit: words(commitsOf([facts])) },
  pod: ({ project, task, agentKind, repositories, reason }: PodContext) => ({
    project,
    repository: words(repositories.map(({ name }) => name)),
    task,
    agent: agentKind,
    reason,
  }),
  turn: ({ task }: TurnContext) => ({ task }),
}

interface Thread {
  readonly title: string
  readonly project: string
  readonly repository: string
  readonly number: number
  readonly author: string
}

function thread(
  { title, project, repository, number, author }: Thread,
  sign: '#' | '!',
): Readonly<Record<string, string>> {
  return { title: clipped(title), project, repository, number: `${repository}${sign}${number}`, person: author }
}

/** Undefined: of such an actor a list shows its state alone. */
export function listedOf(kind: ActorKind): Listed | undefined {
  const texts = of[kind] as ((context: object, path: string) => Readonly<Record<string, string>>) | undefined
  return texts && { version, of: texts }
}

/** As the orchestrator runs them. No machine's own code: nothing is decided by it, and what is proven does not reach it. */
export const listedMachines: readonly MachineDefinition[] = machines.map((definition) => {
  const listed = listedOf(definition.kind)
  return listed ? { ...definition, listed } : definition
})
