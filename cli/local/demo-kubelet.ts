/** The kubelet of a demo with a Kubernetes of its own: it runs pods as processes of this machine. */
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { programDir } from '../program.ts'
import type { Closes } from './servers.ts'
import { Supervisor } from './supervisor.ts'

export const demoImage = 'statewright.invalid/wrapper:demo'

interface Place {
  readonly dir: string
  /** An administrator's. */
  readonly kubeconfig: string
  /** Whose pods it runs. */
  readonly namespace: string
}

/** A program of its own: whoever kills it ends none of its pods, and the next one adopts them. */
export async function startDemoKubelet({ dir, kubeconfig, namespace }: Place, closes: Closes): Promise<Supervisor> {
  const settings = {
    kubeconfig,
    root: join(dir, 'kubelet'),
    node: 'demo',
    namespaces: [namespace],
    images: { [demoImage]: wrapperImage() },
    programs: [programDir],
  }
  const file = join(dir, 'kubelet.json')
  await writeFile(file, JSON.stringify(settings))
  const isReady = Promise.withResolvers<void>()
  const log = join(dir, 'kubelet.log')
  const kubelet = new Supervisor({
    command: [process.execPath, join(programDir, 'standins', 'kubelet', 'main.ts'), file],
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', HOME: process.env['HOME'] ?? '/root' },
    cwd: dir,
    logFile: log,
    onLine: ({ msg }) => {
      if (msg === 'ready') isReady.resolve()
    },
    onFailed: (code) =>
      isReady.reject(new Error(`the kubelet ended with ${code} before it was ready; its log is ${log}`)),
  })
  closes(() => kubelet.stop())
  kubelet.start()
  await isReady.promise
  return kubelet
}

/** As the image has them: its Node among the programs, its status line where the contract says. */
export function wrapperImage(): readonly string[] {
  const start = 'PATH="$1:$PATH" STATUSLINE_PATH="$2" exec "$3" "$4" wrapper'
  const statusLine = join(programDir, 'wrapper', 'usage', 'statusline.mjs')
  const program = join(programDir, 'bin', 'statewright.mjs')
  return ['/bin/sh', '-c', start, 'wrapper', dirname(process.execPath), statusLine, process.execPath, program]
}
