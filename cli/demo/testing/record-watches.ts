/**
 * `node cli/demo/testing/record-watches.ts`: runs one demo in a Kubernetes of its own, and writes what three watches of
 * kubectl print meanwhile into docs/kubernetes.md. kubectl watches one kind at a time. Test code only.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { programsOf } from '../../../testing/control-plane.ts'
import { programDir } from '../../program.ts'

const page = join(programDir, 'docs', 'kubernetes.md')
const block = /(<!-- recorded: demo -->\n+```console\n)(?:[^]*?\n)?```/
const namespace = 'statewright-demo'
const startLimitMs = 300_000
const kinds = ['tasks', 'pods', 'pvc'] as const
const volumes = /pvc-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const [volumeName, shownVolume] = ['pvc-8c5f1a52-0000-0000-0000-000000000000', 'pvc-8c5f1a52']

const dir = mkdtempSync(join(tmpdir(), 'record-watches-'))
try {
  const program = join(programDir, 'bin', 'statewright.mjs')
  const parameters = [program, 'demo', '--kubernetes', '--json', '--dir', join(dir, 'demo')]
  const demo = spawn(process.execPath, parameters, { cwd: dir, stdio: ['ignore', 'inherit', 'inherit'] })
  const ended = once(demo, 'exit')
  const watches = await Promise.race([startWatches(), ended.then(() => undefined)])
  const [code] = (await ended) as [number | null]
  if (code !== 0 || watches === undefined) throw new Error(`the demo ended with ${code}`)
  const text = (await Promise.all(watches)).join('\n')
  writeFileSync(
    page,
    readFileSync(page, 'utf8').replace(block, (_, head: string) => `${head}${text}\n\`\`\``),
  )
} finally {
  rmSync(dir, { recursive: true, force: true })
}

/** Once the namespace is there. Each ends with the API server, and resolves with its command and what it printed. */
async function startWatches(): Promise<readonly Promise<string>[]> {
  const kubectl = join(await programsOf(), 'kubectl')
  const server = ['--kubeconfig', join(dir, 'demo', 'kubernetes', 'kubeconfig'), '--namespace', namespace]
  const limit = Date.now() + startLimitMs
  const isThere = (): Promise<boolean> =>
    promisify(execFile)(kubectl, [...server, 'get', 'serviceaccount', 'statewright'], { timeout: 20_000 }).then(
      () => true,
      () => false,
    )
  while (!(await isThere())) {
    if (Date.now() > limit) throw new Error('the demo made no namespace')
    await pause(200)
  }
  return kinds.map(async (kind) => {
    const watch = spawn(kubectl, [...server, 'get', kind, '-w'], { stdio: ['ignore', 'pipe', 'ignore'] })
    const parts: Buffer[] = []
    watch.stdout.on('data', (part: Buffer) => parts.push(part))
    await once(watch, 'close')
    return [`$ kubectl get ${kind} -w`, ...stable(Buffer.concat(parts).toString())].join('\n')
  })
}

/** Ages and names of volumes are others each time. A watch repeats a line when no column changed. */
function stable(output: string): readonly string[] {
  return output
    .split('\n')
    .map((line) =>
      line
        .trimEnd()
        // A claim without a volume has as many spaces in its place.
        .replace(/ {60,}/, (gap) => gap.slice(volumeName.length - shownVolume.length))
        .replaceAll(volumes, shownVolume)
        .replace(/ (?:\d+m)?\d+[ms]$/, ' 5s'),
    )
    .filter((line, index, all) => line !== '' && line !== all[index - 1])
}
