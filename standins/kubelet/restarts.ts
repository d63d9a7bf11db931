/** When a container that ended runs again (pkg/kubelet/kuberuntime, `ShouldContainerBeRestarted` and `doBackOff`). */

const firstMs = 10_000
const longestMs = 300_000

/** Init containers that ended well have done their work, whatever the policy. */
export function isRestarted(policy: string | undefined, exitCode: number, isInit: boolean): boolean {
  if (policy === 'Never') return false
  return exitCode !== 0 || (policy !== 'OnFailure' && !isInit)
}

/**
 * Of one container: takes when it ended and gives how long it waits from then, both in milliseconds. The first restart
 * comes at once, the next after 10 s, then twice as long each, at most 5 minutes; it starts anew after 10 quiet minutes.
 */
export function createBackOff(): (endedAt: number) => number {
  let next = 0
  let updatedAt = -Infinity
  return (endedAt) => {
    const waitMs = endedAt - updatedAt > 2 * longestMs ? 0 : next
    next = waitMs === 0 ? firstMs : Math.min(2 * next, longestMs)
    updatedAt = endedAt + waitMs
    return waitMs
  }
}
