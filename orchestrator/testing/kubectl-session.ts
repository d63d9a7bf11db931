/**
 * The session of docs/kubernetes.md: a fixed list of commands, run by a shell with the real kubectl, and what they printed.
 * The agent and the forge are stand-ins that play one Task to its merge. Test code only.
 */
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { commit, run } from '../../standins/forge/testing/fixture.ts'
import { people } from '../../standins/people.ts'
import { programsOf, type ControlPlane } from '../../testing/control-plane.ts'
import { startCluster, type Cluster } from './cluster.ts'
import { hookSecret, repository, type PodUnderTest } from './fixture.ts'
import { askForge } from './merge-request.ts'

/** The parts of the session, each a block of the page. */
export const sessionParts = ['refused', 'mended', 'watched', 'ended', 'edited', 'deleted'] as const
export type SessionPart = (typeof sessionParts)[number]
/** Command lines begin with `$ `; what each printed follows. */
export type Session = Readonly<Record<SessionPart, string>>

const shownNamespace = 'team'
const shownCommit = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

interface Pull {
  readonly number: number
  readonly head: { readonly sha: string }
}

interface Watch {
  /** What it printed up to now. */
  printed(): string
  /** Ends and records it. */
  end(): Promise<void>
}

interface Shell {
  /** Runs it and records it; what it prints counts, however it ends. */
  type(part: SessionPart, command: string): Promise<void>
  /** Runs beside others, for a minute at most. */
  watch(part: SessionPart, command: string): Watch
  text(): Session
}

/** @throws where a wait for the agent or a stage is in vain; what kubectl waits for in vain it prints. */
export async function playSession(kube: ControlPlane): Promise<Session> {
  const cluster = await startCluster(kube, { manifests: () => [] })
  const dir = mkdtempSync(join(tmpdir(), 'kubectl-session-'))
  try {
    writeManifests(dir, cluster)
    const shell = await openShell(dir, cluster)
    await applyProject(shell)
    await deliverTask(shell, cluster)
    await editStatus(shell, cluster)
    await deleteAll(shell, cluster)
    return shell.text()
  } finally {
    rmSync(dir, { recursive: true, force: true })
    await cluster.stop()
  }
}

async function applyProject({ type }: Shell): Promise<void> {
  await type('refused', 'cat project.yaml')
  await type('refused', 'kubectl apply -f project.yaml')
  await type('refused', 'kubectl explain project.spec.autoApproveMaxSignificance')
  await type('mended', `sed -i 's/: off$/: "off"/' project.yaml`)
  await type('mended', 'kubectl apply -f project.yaml -f repository.yaml')
  await type('mended', `kubectl wait --for=jsonpath='{.status.reason}'=SecretMissingKeys project/demo --timeout=60s`)
  await type('mended', 'kubectl get project demo')
  await type('mended', `kubectl get project demo -o jsonpath='{.status.conditions[?(@.type=="Ready")].message}{"\\n"}'`)
  await type('mended', 'kubectl create secret generic demo-scm --from-file=token --from-file=webhookSecret')
  await type('mended', 'kubectl wait --for=condition=Ready project/demo --timeout=60s')
  await type('mended', 'kubectl get projects,repositories')
}

/** One Task from its creation to its merge. Each step waits until the object shows the one before it. */
async function deliverTask({ type, watch }: Shell, cluster: Cluster): Promise<void> {
  const name = 'know-weeks'
  await type('watched', 'cat task.yaml')
  const rows = watch('watched', 'kubectl get tasks -w')
  const shows = (stage: string): Promise<true> =>
    cluster.fixture.until(`the watch shows ${stage}`, () => rows.printed().includes(` ${stage} `))
  try {
    await type('ended', 'kubectl apply -f task.yaml')
    await shows('implementing')
    const author = await cluster.fixture.podOf(`${cluster.namespace}/${name}`, 1)
    await pushBranch(cluster, name, author)
    await call(cluster, name, author, 'merge-requests', {
      action: 'open',
      repo: 'duration',
      title: 'Know weeks',
      body: 'Seven days.',
    })
    const submission = { action: 'submitted', title: 'Know weeks', body: 'Seven days.', change_significance: 'minor' }
    await submit(cluster, name, author, 'implement', submission)
    await shows('reviewing')
    await author.endTurn()
    const reviewer = await cluster.fixture.podOf(`${cluster.namespace}/${name}`, 2)
    const [pull] = (await askForge(cluster.fixture, people.maintainer, 'GET', '/pulls')) as readonly Pull[]
    const reviewed = [{ repo: 'duration', number: pull!.number, sha: pull!.head.sha }]
    await submit(cluster, name, reviewer, 'review', { verdict: 'approve', reviewed_shas: reviewed })
    await shows('merging')
    await reviewer.endTurn()
    await shows('delivered')
  } finally {
    await rows.end()
  }
  await type('ended', 'kubectl wait --for=condition=Complete task/know-weeks --timeout=60s')
  await type('ended', `kubectl wait --for=jsonpath='{.status.status}'=merged mergerequest/duration-mr-1 --timeout=60s`)
  await type('ended', 'kubectl get mergerequests')
  // Events come when they are written, with no order to a status.
  const isReported = async (): Promise<boolean> =>
    (await cluster.kubectl('events', '--for', `task/${name}`)).includes('Merged')
  await cluster.fixture.until('the event of the merge', isReported)
  await type('ended', 'kubectl events --for task/know-weeks')
}

async function editStatus({ type }: Shell, { fixture, namespace }: Cluster): Promise<void> {
  await type('edited', 'sed s/know-weeks/know-months/ task.yaml | kubectl apply -f -')
  await type('edited', `kubectl wait --for=jsonpath='{.status.stage}'=implementing task/know-months --timeout=60s`)
  // Nothing steps any more: only the edit itself can bring the status back.
  await fixture.podOf(`${namespace}/know-months`, 1)
  await fixture.quiet()
  await type(
    'edited',
    `kubectl patch task know-months --subresource=status --type=merge -p '{"status":{"stage":"delivered"}}'`,
  )
  await type('edited', `kubectl wait --for=jsonpath='{.status.stage}'=implementing task/know-months --timeout=20s`)
  await type('edited', 'kubectl get tasks --field-selector status.stage=implementing -o name')
}

async function deleteAll({ type }: Shell, cluster: Cluster): Promise<void> {
  const pod = await cluster.fixture.podOf(`${cluster.namespace}/know-months`, 1)
  const deletion = type('deleted', 'kubectl delete task know-months')
  const limit = Date.now() + 60_000
  const isOver = deletion.then(() => true)
  const pause = (): Promise<false> => new Promise((resolve) => setTimeout(() => resolve(false), 200))
  // The agent ends each of its turns: the one under way, and the hand-off.
  while (!(await Promise.race([isOver, pause()])) && Date.now() < limit) {
    const open = (await pod.turns().catch(() => [])).filter(({ completedAt }) => completedAt === undefined)
    if (open.length > 0) await pod.endTurn().catch(() => undefined)
  }
  await deletion
  await type('deleted', 'kubectl delete project/demo repository/duration secret/demo-scm')
  await type('deleted', 'kubectl get projects,repositories,tasks,queuedevents,issues,mergerequests')
}

function submit(cluster: Cluster, name: string, pod: PodUnderTest, kind: string, payload: object): Promise<void> {
  return call(cluster, name, pod, 'outcome', { kind, payload })
}

/** As a tool of the agent does. */
async function call(cluster: Cluster, name: string, pod: PodUnderTest, path: string, body: object): Promise<void> {
  const answer = await cluster.fixture.call(`/tasks/${encodeURIComponent(`${cluster.namespace}/${name}`)}/${path}`, {
    token: pod.token,
    body,
    headers: { 'x-platform-workspace': 'clean' },
  })
  if (answer.status !== 200) throw new Error(`${path} of ${name} was refused: ${JSON.stringify(answer.body)}`)
}

/** Through the gateway, as git in the pod does. */
async function pushBranch({ fixture }: Cluster, name: string, pod: PodUnderTest): Promise<void> {
  const dir = mkdtempSync(join(fixture.dir, 'push-'))
  const url = new URL('/git/demo/duration.git', fixture.orchestrator.url)
  Object.assign(url, { username: 'x-pod', password: pod.token })
  await run(dir, ['clone', '--quiet', url.href, 'clone'])
  const clone = join(dir, 'clone')
  await run(clone, ['switch', '--quiet', '-c', `platform/${name}`])
  await commit(clone, { 'weeks.md': 'Weeks.\n' }, 'Know weeks')
  await run(clone, ['push', '--quiet', 'origin', `platform/${name}`])
}

function writeManifests(dir: string, { fixture: { forge } }: Cluster): void {
  const write = (name: string, ...lines: readonly string[]): void => writeFileSync(join(dir, name), lines.join('\n'))
  write('token', 'token-of-the-bot')
  write('webhookSecret', hookSecret)
  write(
    'project.yaml',
    'apiVersion: platform.dev/v1alpha1',
    'kind: Project',
    'metadata: {name: demo}',
    'spec:',
    '  scmSecretRef: demo-scm',
    '  autoApproveMaxSignificance: off',
    '  scm:',
    '    provider: forge_a',
    `    owner: ${people.owner}`,
    `    botLogin: ${people.bot}`,
    `    maintainerLogins: [${people.maintainer}]`,
    `    apiURL: ${forge.apiUrl}`,
    `    webURL: ${forge.url}`,
    '',
  )
  write(
    'repository.yaml',
    'apiVersion: platform.dev/v1alpha1',
    'kind: Repository',
    'metadata: {name: duration}',
    'spec:',
    '  projectRef: demo',
    `  url: ${forge.url}/${repository}.git`,
    '  defaultBranch: main',
    '',
  )
  write(
    'task.yaml',
    'apiVersion: platform.dev/v1alpha1',
    'kind: Task',
    'metadata: {name: know-weeks}',
    'spec:',
    '  projectRef: demo',
    '  kind: implement',
    '  goal: Parse and print weeks.',
    '  repositories: [duration]',
    '',
  )
}

async function openShell(dir: string, { kube, namespace, fixture: { forge } }: Cluster): Promise<Shell> {
  const kubeconfig = join(dir, 'kubeconfig')
  const own = readFileSync(kube.kubeconfig, 'utf8').replace('namespace: default', `namespace: ${namespace}`)
  writeFileSync(kubeconfig, own, { mode: 0o600 })
  const env = { PATH: `${await programsOf()}:/usr/bin:/bin`, HOME: dir, KUBECONFIG: kubeconfig }
  const typed = new Map<SessionPart, string[]>()
  const stable = stableFor(namespace, forge.url)
  const record = (part: SessionPart, command: string, output: string): void => {
    const lines = stable(output)
    typed.set(part, [...(typed.get(part) ?? []), `$ ${command}`, ...lines])
  }
  const inShell = promisify(execFile)
  return {
    async type(part, command) {
      const both = `{ ${command}; } 2>&1`
      const ran = inShell('bash', ['-c', both], { cwd: dir, env, timeout: 90_000 })
      record(
        part,
        command,
        await ran.then(
          ({ stdout }) => stdout,
          ({ stdout }: { readonly stdout: string }) => stdout,
        ),
      )
    },
    watch(part, command) {
      const child = spawn('bash', ['-c', `exec ${command}`], { cwd: dir, env, timeout: 60_000 })
      const parts: Buffer[] = []
      child.stdout.on('data', (chunk: Buffer) => parts.push(chunk))
      const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
      const printed = (): string => Buffer.concat(parts).toString()
      return {
        printed,
        async end() {
          child.kill()
          await closed
          record(part, command, printed())
        },
      }
    },
    text: () => Object.fromEntries(sessionParts.map((part) => [part, (typed.get(part) ?? []).join('\n')])) as never,
  }
}

/** What is another each time: names of namespaces, ports, ages and commits. A watch repeats a line when no column changed. */
function stableFor(namespace: string, forgeUrl: string): (output: string) => readonly string[] {
  const named = new RegExp(`${namespace}(\\S*)( *)`, 'g')
  const shorter = ' '.repeat(namespace.length - shownNamespace.length)
  return (output) =>
    output
      .replaceAll(forgeUrl, 'https://forge.example')
      // The column that follows stays where it is.
      .replaceAll(
        named,
        (_, rest: string, gap: string) => `${shownNamespace}${rest}${gap}${gap.length > 1 ? shorter : ''}`,
      )
      .replaceAll(/\b[0-9a-f]{40}\b/g, shownCommit)
      .split('\n')
      .map((line) =>
        line
          .trimEnd()
          .replace(/ (?:\d+m)?\d+s$/, ' 5s')
          .replace(/^(?:\d+m)?\d+s +/, '5s          '),
      )
      .filter((line, index, all) => line !== '' && line !== all[index - 1])
}

/** The block of a page that has this part. @throws where it has none. */
export function blockOf(page: string, part: SessionPart): string {
  const [, , block] = patternOf(part).exec(page) ?? []
  if (block === undefined) throw new Error(`the page has no block of ${part}`)
  return block
}

/** The page with these blocks in place of its own. */
export function withSession(page: string, session: Session): string {
  return sessionParts.reduce(
    (text, part) => text.replace(patternOf(part), (_, head: string) => `${head}${session[part]}\n\`\`\``),
    page,
  )
}

function patternOf(part: SessionPart): RegExp {
  return new RegExp(`(<!-- recorded: ${part} -->\\n+\`\`\`console\\n)([^]*?)\\n\`\`\``)
}
