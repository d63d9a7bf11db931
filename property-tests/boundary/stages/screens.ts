/** A terminal as the CLI has one, and commands that would reach it. */
import { readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { path } from '../../../wrapper/space/testing/walls.ts'
import { sanitise } from '../../../wrapper/terminal/sanitise.ts'
import { submit, typedLine } from '../../../wrapper/terminal/submit.ts'
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
  /** Submits a message as the wrapper does, and answers what arrived at the program between the paste's begin and end. */
  type(text: string): Promise<string>
  run(script: string): Promise<unknown>
  shows(): Promise<boolean>
}

const pasteBegin = '\u001b[200~'
const pasteEnd = '\u001b[201~'
/** What a terminal shows it shows within this time. */
const showsWithinMs = 700

export async function openScreens(setting: Setting): Promise<Stage<Screen>> {
  const folders = makeFolders()
  const walls = await wallsOf(folders, setting, 'boot-1')
  const terminals: Terminal[] = []
  return {
    scene: async () => {
      const input = join(folders.workspace, `input-${terminals.length}`)
      const command = ['/bin/sh', '-c', `trap "" HUP; stty raw -echo; echo ready; exec cat > ${input}`]
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
        type: async (text) => {
          const body = setting.down.has('sanitised-input') ? text : sanitise(text)
          const arrived = (): string => readFileSync(input, 'utf8')
          const accepted = waitFor(
            () => arrived().endsWith(`${pasteEnd}\r`),
            10_000,
            () => 'nothing arrived',
          )
          await submit(terminal, realClock, { turnId: mark, body, accepted })
          return arrived().slice(typedLine(mark).length + pasteBegin.length, -`${pasteEnd}\r`.length)
        },
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
