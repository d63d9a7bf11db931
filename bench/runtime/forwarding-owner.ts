/** The other process: it owns its part of the shards, steps what comes for them, and waits to be killed. */
import { startSharedRuntime } from './contenders/shared-runtime.ts'

const { url } = JSON.parse(process.argv[2] ?? '') as { readonly url: string }
await startSharedRuntime(url, 'other')
console.log(JSON.stringify({ ready: true }))
setInterval(() => undefined, 60_000)
