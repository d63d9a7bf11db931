import type { Runtime } from '../../runtime/runtime.ts'

/** Waits until it holds, looking again at every step and every so often; fails by its name. */
export type Until = <T>(what: string, look: () => Promise<T | undefined | false> | T | undefined | false) => Promise<T>

interface Pace {
  readonly waitLimitMs: number
  readonly lookEveryMs: number
}

/** `runtime`: the one that lives now. */
export function untilOf(runtime: () => Runtime, { waitLimitMs, lookEveryMs }: Pace): Until {
  return async (what, look) => {
    const limit = Date.now() + waitLimitMs
    for (;;) {
      const found = await look()
      if (found !== undefined && found !== false) return found
      if (Date.now() > limit) throw new Error(`in vain: ${what}`)
      await new Promise<void>((resolve) => {
        const go = (): void => {
          clearTimeout(timer)
          unsubscribe()
          resolve()
        }
        const timer = setTimeout(go, lookEveryMs)
        const unsubscribe = runtime().subscribe(go)
      })
    }
  }
}
