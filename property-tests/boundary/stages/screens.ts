/** A terminal as the CLI has one, and commands that would reach it. */
import { readlinkSync } from 'node:fs'
import { path } from '../../../wrapper/space/testing.ts'
import { sanitise } from '../../../wrapper/terminal/sanitise.ts'
import { openTerminal, type Terminal } from '../../../wrapper/terminal/terminal.ts'
import { realClock, waitFor } from '../../../wrapper/testing/pod.ts'
import type { Setting, Stage } from '../attack.ts'
import { makeFolders, wallsOf } from './folders.ts'
import { run } from './say.ts'

export interface Screen {
  /** Of the program in the terminal. */
  readonly pid: number
  /** The terminal's name, as the machine knows it. */
  readonly terminal: string
  readonly mark: string
  /** What arrived of the text that was typed. */
  typed: string
  type(text: string): void
  run(script: string): Promise<unknown>
  shows(): Promise<boolean>
}

/** What a terminal shows it shows within this time. */
const showsWithinMs = 700

export async function openScreens(setting: Setting): Promise<Stage<Screen>> {
  const folders = makeFolders()
  const walls = await wallsOf(folders, setting, 'boot-1')
  const terminals: Terminal[] = []
  return {
    scene: async () => {
      const command = ['/bin/sh', '-c', 'trap "" HUP; echo ready; exec sleep 300']
      const terminal = openTerminal({ command, cwd: folders.workspace, env: { PATH: path }, clock: realClock })
      terminals.push(terminal)
      await waitFor(
        () => terminal.tail().includes('ready'),
        10_000,
        () => 'the terminal shows nothing',
      )
      const mark = `painted-${terminals.length}`
      const screen: Screen = {
        mark,
        pid: terminal.pid,
        terminal: readlinkSync(`/proc/${terminal.pid}/fd/0`),
        typed: '',
        type: (text) => void (screen.typed = setting.down.has('sanitised-input') ? text : sanitise(text)),
        run: (script) => run(walls.space.wrap(['/bin/sh', '-c', script], true, folders.workspace), { PATH: path }),
        shows: () =>
          waitFor(
            () => terminal.tail().includes(mark),
            showsWithinMs,
            () => 'no',
          ).then(
            () => true,
            () => false,
          ),
      }
      return screen
    },
    close: async () => {
      for (const terminal of terminals) terminal.kill('SIGKILL')
      await walls.space.close()
      folders.remove()
    },
  }
}
