/**
 * A child that is supervised has a channel to its supervisor, which ends with it, however it ended. Programs that nobody
 * supervises, in a container for example, have none and wait for signals only.
 */
export function untilParentEnds(child: NodeJS.Process): Promise<void> {
  return new Promise((resolve) => {
    // It had one, and that ended before anybody listened.
    if (child.connected === false) return resolve()
    if (child.channel === undefined || child.channel === null) return
    child.once('disconnect', () => resolve())
    // Listening must not keep a program that is done.
    child.channel.unref()
  })
}

/** What a start gives. One whose supervisor ends meanwhile has failed: nobody would end the program afterwards. */
export function unlessOrphaned<T>(starting: Promise<T>, orphaned: Promise<void>): Promise<T> {
  const failed = orphaned.then(() => {
    throw new Error('the process that supervised this one ended while it started')
  })
  return Promise.race([starting, failed])
}
