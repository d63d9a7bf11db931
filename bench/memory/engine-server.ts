/** A real LightRAG server with a scripted model behind it, for as long as a bench needs it. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const lightRagVersion = '1.5.7'
/** That of `.ci/lightrag.sh`. */
export const lightRagKey = 'test-key'

const script = fileURLToPath(new URL('../../.ci/lightrag.sh', import.meta.url))
const model = fileURLToPath(new URL('../../standins/lightrag/main.ts', import.meta.url))
const run = promisify(execFile)

export interface LightRagServer {
  readonly url: string
  stop(): Promise<void>
}

/** A text: why there is none here. */
export async function startLightRagServer(): Promise<LightRagServer | string> {
  const scripted = spawn(process.execPath, [model], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [modelUrl] = (await once(createInterface({ input: scripted.stdout }), 'line')) as [string]
  const folder = await mkdtemp(join(tmpdir(), 'statewright-bench-lightrag-'))
  const stop = async (): Promise<void> => {
    await run(script, [lightRagVersion, 'stop', folder])
    scripted.kill('SIGKILL')
  }
  try {
    const { stdout } = await run(script, [lightRagVersion, 'start', folder, modelUrl])
    return { url: stdout.trim(), stop }
  } catch (error) {
    await stop()
    return `LightRAG ${lightRagVersion} could not be started: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`
  }
}
