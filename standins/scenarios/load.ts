/** Reads a scenario file, YAML or JSON. */
import { readFile } from 'node:fs/promises'
import { resolve, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseDocument } from 'yaml'
import { checkScenario, type Fault } from './check.ts'
import { agentKinds, type Entry, type Scenario } from './format.ts'

export class ScenarioInvalid extends Error {
  readonly faults: readonly Fault[]
  constructor(source: string, faults: readonly Fault[]) {
    super(
      [`${source} is not a scenario:`, ...faults.map((fault) => `  ${fault.path || '/'}: ${fault.message}`)].join('\n'),
    )
    this.name = 'ScenarioInvalid'
    this.faults = faults
  }
}

/** The scenario that plays the main job on the library in `repository/`. */
export const defaultScenarioFile: string = fileURLToPath(new URL('./default.yaml', import.meta.url))

/** A short main job whose agents write into the memory and ask it. */
export const rememberingScenarioFile: string = fileURLToPath(new URL('./remembers.yaml', import.meta.url))

/** For issues on any repository: its agents say that they are scripts. */
export const anyScenarioFile: string = fileURLToPath(new URL('./any.yaml', import.meta.url))

/** `scenario` plays the issue that it brings; `other` plays all others. */
export function playingOthers(scenario: Scenario, other: Scenario): Scenario {
  const title = scenario.task?.issue.title
  const own = (entries: readonly Entry[] = []): readonly Entry[] =>
    title === undefined ? [] : entries.map((entry) => ({ ...entry, when: { 'issue.title': title, ...entry.when } }))
  const agents = Object.fromEntries(
    agentKinds.flatMap((kind) => {
      const entries = [...own(scenario.agents[kind]), ...(other.agents[kind] ?? [])]
      return entries.length === 0 ? [] : [[kind, entries]]
    }),
  )
  return { ...scenario, agents }
}

/** JSON is YAML, so one reader takes both. @throws ScenarioInvalid with every fault of the text. */
export function parseScenario(source: string, name: string): Scenario {
  const document = parseDocument(source, { uniqueKeys: true, merge: true })
  if (document.errors.length > 0) {
    throw new ScenarioInvalid(
      name,
      document.errors.map((error) => ({
        path: `line ${error.linePos?.[0].line ?? '?'}`,
        message: error.message.split('\n')[0] ?? error.code,
      })),
    )
  }
  const checked = checkScenario(document.toJS() as unknown)
  if ('faults' in checked) throw new ScenarioInvalid(name, checked.faults)
  return checked.scenario
}

/** @throws ScenarioInvalid, or the file system's error. `repository` comes back as an absolute path. */
export async function loadScenario(file: string): Promise<Scenario> {
  const scenario = parseScenario(await readFile(file, 'utf8'), file)
  return scenario.repository === undefined
    ? scenario
    : { ...scenario, repository: resolve(dirname(file), scenario.repository) }
}
