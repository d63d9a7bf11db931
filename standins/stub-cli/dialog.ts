/** The dialogs of a boot that was not prepared. Each preselects the refusing answer, as the real ones do. */
import type { Key } from './keys.ts'

/** `unknown`: one that no wrapper knows yet. */
export type DialogKind = 'bypass' | 'trust' | 'unknown'

const screens: Readonly<Record<DialogKind, string>> = {
  bypass:
    'WARNING: Claude Code running in Bypass Permissions mode\r\n\r\n\u276f 1. No, exit\r\n  2. Yes, I accept\r\n\r\nEnter to confirm',
  trust: 'Accessing workspace:\r\n\r\n\u276f 1. No, exit\r\n  2. Yes, I trust this folder\r\n\r\nEnter to confirm',
  unknown: 'A question of a later version\r\n\r\n\u276f 1. No, exit\r\n  2. Yes\r\n\r\nEnter to confirm',
}

/** Resolves with whether it was accepted. `onKey` installs the one listener of keys. */
export function showDialog(
  kind: DialogKind,
  write: (text: string) => void,
  onKey: (listener: (key: Key) => void) => void,
): Promise<boolean> {
  write(screens[kind])
  let accepting = false
  return new Promise((resolve) => {
    onKey((key) => {
      if (key.type === 'down') accepting = true
      else if (key.type === 'up') accepting = false
      else if (key.type === 'enter') resolve(accepting)
      else if (key.type === 'escape' || key.type === 'ctrl-c') resolve(false)
    })
  })
}
