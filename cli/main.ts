/** The command line: one program, its commands loaded when they are called, because importing everything takes a second. */
import { nearest } from '../crd/nearest.ts'
import { leftOut, program, version } from './program.ts'
import { errorLines, print, printError } from './output/terminal.ts'

interface Command {
  readonly summary: string
  /** Its file below `cli/commands`, where that is named otherwise. */
  readonly module?: string
  readonly run: (args: readonly string[]) => Promise<number | void>
}

const commands: Readonly<Record<string, Command>> = {
  up: {
    summary: 'start everything on this machine and stay',
    run: async (args) => (await import('./commands/programs/up.ts')).up(args),
  },
  open: {
    summary: 'print the links of what up runs: the inspector, and each person of the local forge',
    run: async (args) => (await import('./commands/programs/open.ts')).open(args),
  },
  demo: {
    summary: 'run the main job, from an issue to a merged change, and end',
    run: async (args) => (await import('./commands/programs/demo.ts')).demo(args),
  },
  try: {
    summary: 'try it on a repository of yours: PATH [--issue TEXT]',
    run: async (args) => (await import('./commands/programs/try.ts')).tryOwn(args),
  },
  apply: {
    summary: 'apply resources: -f FILE (- reads standard input)',
    run: async (args) => (await import('./commands/resources/apply.ts')).apply(args),
  },
  get: {
    summary: 'show resources: KIND [NAME] [-o wide|name|json|yaml] [-w]',
    run: async (args) => (await import('./commands/resources/get.ts')).get(args),
  },
  watch: {
    summary: 'show resources, and each row again that changes, until Ctrl-C: KIND [NAME] [-o wide|name]',
    module: 'get',
    run: async (args) => (await import('./commands/resources/get.ts')).watch(args),
  },
  describe: {
    summary: 'show one resource, its conditions and why it rests: KIND NAME',
    run: async (args) => (await import('./commands/resources/describe.ts')).describe(args),
  },
  delete: {
    summary: 'delete a Project, a Repository or a Task: KIND NAME',
    run: async (args) => (await import('./commands/resources/delete.ts')).deleteResource(args),
  },
  why: {
    summary: 'explain why a Task or a Project rests, and what would move it: TASK|PROJECT [--json]',
    run: async (args) => (await import('./commands/work/why.ts')).why(args),
  },
  approve: {
    summary: "approve a Task's plan on the forge, by your own right: TASK [--yes] [--as NAME]",
    run: async (args) => (await import('./commands/work/approve.ts')).approve(args),
  },
  comment: {
    summary: 'comment on the forge, by your own right: TASK TEXT|- [--as NAME]',
    run: async (args) => (await import('./commands/work/comment.ts')).comment(args),
  },
  waiting: {
    summary: 'list the Tasks that wait for people, and what each waits for: [--me NAME] [--json]',
    run: async (args) => (await import('./commands/work/waiting.ts')).waiting(args),
  },
  logs: {
    summary: "print what the wrapper of a Task's pod logged: TASK [--pod N] [--tail N] [--follow]",
    run: async (args) => (await import('./commands/work/logs.ts')).logs(args),
  },
  transcript: {
    summary: "print what the agent of a Task's stopped pod said and did: TASK [--pod N] [--json]",
    run: async (args) => (await import('./commands/work/transcript.ts')).transcript(args),
  },
  retry: {
    summary: 'let a parked Task go on: TASK [--json]',
    module: 'task-verbs',
    run: async (args) => (await import('./commands/work/task-verbs.ts')).retry(args),
  },
  cancel: {
    summary: 'end a Task: TASK [--json]',
    module: 'task-verbs',
    run: async (args) => (await import('./commands/work/task-verbs.ts')).cancel(args),
  },
  hold: {
    summary: 'take a Task out of work until somebody retries it: TASK --reason TEXT',
    module: 'task-verbs',
    run: async (args) => (await import('./commands/work/task-verbs.ts')).hold(args),
  },
  pause: {
    summary: 'admit no pod of a Project until somebody resumes it: PROJECT --reason TEXT',
    module: 'project-verbs',
    run: async (args) => (await import('./commands/work/project-verbs.ts')).pause(args),
  },
  resume: {
    summary: 'take a pause of a Project back: PROJECT --reason TEXT',
    module: 'project-verbs',
    run: async (args) => (await import('./commands/work/project-verbs.ts')).resume(args),
  },
  inspector: {
    summary: 'print a link that signs a browser in to the inspector, once',
    run: async (args) => (await import('./commands/journal/inspector.ts')).inspector(args),
  },
  secret: {
    summary: 'write a Secret from standard input: set NAME KEY=-',
    run: async (args) => (await import('./commands/resources/secret.ts')).secret(args),
  },
  actors: {
    summary: 'list actors and their states: [PREFIX] [--status quarantined]',
    run: async (args) => (await import('./commands/journal/actors.ts')).actors(args),
  },
  history: {
    summary: 'show what happened to an actor: ACTOR',
    run: async (args) => (await import('./commands/journal/history.ts')).history(args),
  },
  replay: {
    summary: 'replay journals and compare each step with the store: ACTOR... | --all',
    run: async (args) => (await import('./commands/journal/replay.ts')).replay(args),
  },
  export: {
    summary: 'write actors with their journals, all texts masked: ACTOR... [--out FILE]',
    run: async (args) => (await import('./commands/journal/export.ts')).exportActors(args),
  },
  import: {
    summary: 'replay exported journals with this version, as a test: FILE...',
    run: async (args) => (await import('./commands/journal/import.ts')).importBundles(args),
  },
  inspect: {
    summary: 'open exported journals in the inspector, read-only and offline: FILE',
    run: async (args) => (await import('./commands/journal/inspect.ts')).inspect(args),
  },
  prove: {
    summary: 'list Tasks that this version would have ended otherwise: --against LOG | --all',
    run: async (args) => (await import('./commands/journal/prove.ts')).prove(args),
  },
  effects: {
    summary: 'show and retry effects that are not settled: list, show KEY, redeliver KEY... | --all',
    module: 'outbox',
    run: async (args) => (await import('./commands/journal/outbox.ts')).effects(args),
  },
  'dead-letters': {
    summary: 'show and retry events that changed nothing: list, show ID, redeliver ID... | --all',
    module: 'outbox',
    run: async (args) => (await import('./commands/journal/outbox.ts')).deadLetters(args),
  },
  retention: {
    summary: 'show how long journals are kept: [sweep]',
    run: async (args) => (await import('./commands/journal/retention.ts')).retention(args),
  },
  skills: {
    summary: 'check the tool calls in skill files: check PATH... [--manifest FILE|URL]',
    run: async (args) => (await import('./commands/knowledge/skills.ts')).skills(args),
  },
  'code-graph': {
    summary: 'extract and send a code graph: push [DIR] --repo NAME | extract [DIR]',
    run: async (args) => (await import('./commands/knowledge/code-graph.ts')).codeGraph(args),
  },
  ingest: {
    summary: 'store a repository in the knowledge service: DIR [--repo NAME] [--dry-run]',
    run: async (args) => (await import('./commands/knowledge/ingest.ts')).ingest(args),
  },
  query: {
    summary: 'query the knowledge service: TEXT [--mode MODE] [--top-k N] [--json]',
    run: async (args) => (await import('./commands/knowledge/query.ts')).query(args),
  },
  login: {
    summary: 'sign in at an orchestrator or the knowledge service with a code in a browser: [--server URL]',
    run: async (args) => (await import('./commands/programs/login.ts')).login(args),
  },
  context: {
    summary: 'list the orchestrators that you are signed in at, or choose one: [use NAME]',
    run: async (args) => (await import('./commands/programs/context.ts')).context(args),
  },
  completion: {
    summary: 'print a script that completes commands in a shell: bash|zsh|fish',
    run: async (args) => (await import('./commands/programs/completion.ts')).completion(args, brought()),
  },
  orchestrator: {
    summary: 'run the orchestrator; the environment has its settings',
    run: async (args) =>
      (await import('./commands/programs/orchestrator.ts')).orchestrator(args, process.env, version()),
  },
  release: {
    summary: 'take our finalizers off in a Kubernetes cluster without an orchestrator: --kubeconfig FILE',
    run: async (args) => (await import('./commands/resources/release.ts')).release(args),
  },
  rbac: {
    summary: 'print the rights of an orchestrator in a Kubernetes cluster: [--namespaces A,B] | kubectl apply -f -',
    run: async (args) => (await import('./commands/resources/rbac.ts')).rbac(args),
  },
  doctor: {
    summary: 'look whether agents can run here, or in a Kubernetes cluster: [--cluster --image IMAGE]',
    run: async (args) => (await import('./commands/programs/doctor.ts')).doctor(args),
  },
  memory: {
    summary: 'run the knowledge service; the environment has its settings. rebuild: fill its engine again',
    run: async (args) => (await import('./commands/programs/memory.ts')).memory(args, process.env, version()),
  },
  wrapper: {
    summary: 'supervise one agent in one pod. selftest: check an agent CLI',
    run: async (args) => process.exit(await (await import('./commands/programs/wrapper.ts')).wrapper(args, version())),
  },
  'check-pins': {
    summary: 'check that a deployment pins skills and wrapper to releases: DIR',
    run: async (args) => (await import('./commands/programs/check-pins.ts')).checkPins(args),
  },
}

/** The commands of this image, with their summaries. */
function brought(): readonly (readonly [name: string, summary: string])[] {
  const missing = leftOut()
  return Object.entries(commands)
    .filter(([name, { module = name }]) => !missing.includes(module))
    .map(([name, { summary }]) => [name, summary])
}

function usage(): string {
  const width = Math.max(...brought().map(([name]) => name.length))
  const lines = brought().map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}`)
  return `statewright ${version()}\n\nusage: statewright COMMAND [options]\n\n${lines.join('\n')}\n\nstatewright COMMAND --help explains a command and its options.`
}

/** In two lines: the list of all commands would hide what was wrong. */
function unknownCommand(name: string): readonly string[] {
  const meant = nearest(name, Object.keys(commands))
  return [
    `there is no command ${name}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    `${program} --help lists all commands`,
  ]
}

/** What a command that failed may still take to close. Something that stays open must not keep it alive for ever. */
const lingerMs = 10_000

export async function main(args: readonly string[]): Promise<void> {
  process.exitCode = await run(args)
  if (process.exitCode !== 0) setTimeout(() => process.exit(), lingerMs).unref()
}

/** Exit codes: 0 done, 1 failed, 2 called wrongly. */
export async function run(args: readonly string[]): Promise<number> {
  const [first = '', second] = args
  const [name = '', ...rest] = first === 'help' && second !== undefined ? [second, '--help'] : args
  if (['', 'help', '--help', '-h'].includes(name)) print(usage().split('\n'))
  else if (name === '--version' || name === '-v') print(version())
  else return runCommand(name, rest)
  return 0
}

async function runCommand(name: string, args: readonly string[]): Promise<number> {
  const command = commands[name]
  if (command === undefined) {
    printError(unknownCommand(name))
    return 2
  }
  try {
    return (await command.run(args)) ?? 0
  } catch (error) {
    printError(linesOf(error))
    return error instanceof Error && error.name === 'UsageError' ? 2 : 1
  }
}

const fileFaults: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of its path is no folder',
  EISDIR: 'it is a folder',
  EACCES: 'you may not open it',
}

/** Of a file that the system could not open, in words. */
function fileFault(error: Error): string | undefined {
  const [code, path] = ['code' in error && error.code, 'path' in error && error.path]
  const words = typeof code === 'string' ? fileFaults[code] : undefined
  return words === undefined || typeof path !== 'string' ? undefined : `${path}: ${words}`
}

function linesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return errorLines(String(error))
  const text = process.env['DEBUG']
    ? (error.stack ?? error.message)
    : `statewright: ${fileFault(error) ?? error.message}`
  // A usage begins its lines as it does anywhere, and stands alone where nothing else is said.
  return error.name === 'UsageError' ? text.replace(/^statewright: (?=usage: )/, '').split('\n') : errorLines(text)
}
