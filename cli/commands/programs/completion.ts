import { readArgs, UsageError } from '../../args.ts'
import { plurals } from '../../resource-view.ts'
import { print } from '../../output/terminal.ts'

const usage = `usage: statewright completion bash|zsh|fish

Prints a script that completes commands and kinds in your shell.

Example: eval "$(statewright completion bash)"
         eval "$(statewright completion zsh)"
         statewright completion fish | source`

/** Commands with their summaries. */
type Commands = readonly (readonly [name: string, summary: string])[]

const ofKinds = ['get', 'describe', 'delete']
const kinds = plurals.split(', ')

const shells: Readonly<Record<string, (commands: Commands) => readonly string[]>> = {
  bash: (commands) => [
    '_statewright() {',
    '  local word=${COMP_WORDS[COMP_CWORD]} words=""',
    `  if [ "$COMP_CWORD" -eq 1 ]; then words=${quoted(commands.map(([name]) => name).join(' '))}`,
    '  elif [ "$COMP_CWORD" -eq 2 ]; then',
    '    case ${COMP_WORDS[1]} in',
    `      ${ofKinds.join('|')}) words=${quoted(kinds.join(' '))} ;;`,
    '    esac',
    '  fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
    '}',
    'complete -o default -F _statewright statewright',
  ],
  zsh: (commands) => [
    '_statewright() {',
    '  local -a commands kinds',
    `  commands=(${commands.map(([name, summary]) => quoted(`${name}:${summary.replaceAll(':', '\\:')}`)).join(' ')})`,
    `  kinds=(${kinds.join(' ')})`,
    '  if (( CURRENT == 2 )); then _describe command commands',
    `  elif (( CURRENT == 3 )) && [[ $words[2] == (${ofKinds.join('|')}) ]]; then compadd -a kinds`,
    '  else _files; fi',
    '}',
    'compdef _statewright statewright',
  ],
  fish: (commands) => [
    ...commands.map(
      ([name, summary]) => `complete -c statewright -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
    ),
    `complete -c statewright -n '__fish_seen_subcommand_from ${ofKinds.join(' ')}' -f -a ${quoted(kinds.join(' '))}`,
  ],
}

/** `statewright completion SHELL`: made of the table of commands, so that it misses none. */
export function completion(args: readonly string[], commands: Commands): number {
  const parsed = readArgs(args, {}, usage)
  if (parsed === undefined) return 0
  const [shell = '', ...more] = parsed.positionals
  const script = Object.hasOwn(shells, shell) ? shells[shell] : undefined
  if (script === undefined || more.length > 0) throw new UsageError(usage)
  print(script(commands))
  return 0
}

/** As all three shells read it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
