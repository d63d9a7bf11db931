/**
 * A kubelet as a program of its own, for whoever ends one as a crash does: `node standins/kubelet/main.ts FILE`. FILE is JSON:
 * `kubeconfig`, `root`, `node`, `namespaces`, `images`, `programs`, and `binds` where a scheduler runs, `apiServer` where pods ask it. SIGTERM stops it with
 * all that it runs; after a SIGKILL the next one with the same root adopts that.
 */
import { readFileSync } from 'node:fs'
import { createKubeClient } from '../../edges/kubernetes/api/client.ts'
import { createLogger } from '../../http/operational/logging.ts'
import { systemClock } from '../../runtime/clock.ts'
import { startKubelet, type KubeletOptions } from './kubelet.ts'

type Settings = Pick<KubeletOptions, 'root' | 'node' | 'namespaces' | 'images' | 'programs' | 'binds' | 'apiServer'> & {
  readonly kubeconfig: string
}

const { kubeconfig, ...settings } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Settings
const client = createKubeClient({ kubeconfig })
const logger = createLogger({ name: 'kubelet' })
const kubelet = await startKubelet({ ...settings, client, clock: systemClock, random: Math.random, logger })
let stopping: Promise<void> | undefined
const stop = (): void => void (stopping ??= kubelet.stop().finally(() => client.close()))
for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, stop)
// The channel carries nothing: its end says that whoever started us is gone.
process.once('disconnect', stop)
process.channel?.unref()
logger.info({ node: settings.node }, 'ready')
