/**
 * Ends a process that was started `detached`, and whatever it started: the helper of a git that fetches outlives a git that
 * is killed alone, holds its pipes open, and waits for a server without an end.
 */
export function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended by itself in this moment.
  }
}
