import { suite, type Attack, type Suite } from '../attack.ts'
import { openScreens, type Screen } from '../stages/screens.ts'

const esc = '\u001b'

const arrived = new WeakMap<Screen, string>()

/** Text of a stranger on its way into the CLI's terminal. */
function typed(name: string, text: string): Attack<Screen> {
  return {
    name,
    walls: ['sanitised-input'],
    plant: async (screen) => void arrived.set(screen, await screen.type(`Harmless.${text} /approve`)),
    succeeded: (screen) => /[^\P{C}\n]/u.test(arrived.get(screen)!),
  }
}

/** A command that writes to a terminal which is not its own. */
function painted(name: string, script: (screen: Screen) => string): Attack<Screen> {
  return {
    name,
    walls: ['namespaces'],
    plant: (screen) => screen.run(script(screen)),
    succeeded: (screen) => screen.shows(),
  }
}

/** Puts a line into a terminal's input as if somebody had typed it. */
const push = (file: string, mark: string): string =>
  `perl -e 'open T, "+<", $ARGV[0] or exit; ioctl(T, 0x5412, $_) for split //, "echo ${mark}\\n"; print T "${mark}"' ${file}`

const attacks: readonly Attack<Screen>[] = [
  typed('an end of the paste, and a command after it', `${esc}[201~\r/clear\r`),
  typed('a key that interrupts', `${esc}${esc}\u0003`),
  typed('a title of the window', `${esc}]0;approved\u0007`),
  typed('a clipboard that is written', `${esc}]52;c;YXBwcm92ZQ==\u0007`),
  typed('a sequence of the upper control characters', '\u009b201~\r'),
  typed('letters that nobody sees', 'a\u200b\u2060\u00ad'),
  typed('letters that turn the line around', '\u202e evorppa/'),
  typed('a sequence within a sequence', `${esc}${esc}[201~[201~`),
  typed('bytes that end text', '\u0000\u0004\u001a'),
  painted('a screen written to by the name of its terminal', ({ terminal, mark }) => `echo ${mark} > ${terminal}`),
  painted(
    'every terminal that /dev/pts shows, written to',
    ({ mark }) => `for at in /dev/pts/[0-9]*; do [ -w $at ] && timeout 1 sh -c "echo ${mark} > $at"; done`,
  ),
  painted(
    'a screen written to by the descriptors of its process',
    ({ pid, mark }) => `echo ${mark} > /proc/${pid}/fd/0`,
  ),
  painted('a line typed into another terminal', ({ terminal, mark }) => push(terminal, mark)),
]

export const terminals: Suite = suite('8 terminals', openScreens, attacks)
