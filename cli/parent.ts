/**
 * A child that is supervised has a channel to its supervisor, which ends with it, however it ended. Programs that nobody
 * supervises, in a container for example, have none and wait for signals only.
 */
export function untilParentEnds(child: NodeJS.Process): Promise<void> {
  return new Promise((resolve) => {
    if (child.channel === undefined || child.channel === null) return
    child.once('disconnect', () => resolve())
    // Listening must not keep a program that is done.
    child.channel.unref()
  })
}
