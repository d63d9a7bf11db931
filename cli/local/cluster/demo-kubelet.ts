/** The kubelet of a demo with a Kubernetes of its own: it runs pods as processes of this machine. */
import { realpathSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { programDir } from '../../program.ts'
import { stackImages } from './memory-stack.ts'
import { wrapperImage, type ReleaseImages } from './images.ts'
import type { Closes } from './servers.ts'
import { Supervisor } from '../processes/supervisor.ts'

export const demoImage = 'statewright.invalid/wrapper:demo'

interface Place {
  readonly dir: string
  /** An administrator's. */
  readonly kubeconfig: string
  /** Whose pods it runs. */
  readonly namespace: string
  /** Of the release that Helm installs; absent: agents' pods run the wrapper of the sources. */
  readonly release: ReleaseImages | undefined
  /** Whether a Project there has a memory stack. */
  readonly memoryStack: boolean
}

/** A program of its own: whoever kills it ends none of its pods, and the next one adopts them. */
export async function startDemoKubelet(
  { dir, kubeconfig, namespace, release, memoryStack }: Place,
  closes: Closes,
): Promise<Supervisor> {
  const [, apiServer = ''] = /server: "?(https:[^",}\s]+)/.exec(await readFile(kubeconfig, 'utf8')) ?? []
  const settings = {
    kubeconfig,
    root: kubeletRoot(dir),
    node: 'demo',
    namespaces: [namespace],
    images: {
      ...(release?.images ?? { [demoImage]: wrapperOfSources() }),
      ...(memoryStack ? stackImages() : {}),
    },
    programs: [...sourcePrograms(programDir), ...(release === undefined ? [] : [release.folder])],
    // An orchestrator in a pod asks it by the variables of its container.
    ...(release === undefined ? {} : { apiServer }),
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

/** Packages of a checkout may be a link to those of another. */
export function sourcePrograms(checkout: string): readonly string[] {
  return [checkout, realpathSync(join(checkout, 'node_modules'))]
}

export function kubeletRoot(dir: string): string {
  return join(dir, 'kubelet')
}

export function wrapperOfSources(): readonly string[] {
  const statusLine = join(programDir, 'wrapper', 'usage', 'statusline.mjs')
  return wrapperImage(join(programDir, 'bin', 'statewright.mjs'), statusLine)
}
