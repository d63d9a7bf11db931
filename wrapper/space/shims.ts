/**
 * The little programs by which the CLI reaches the command space: its shell, its git, and the start of whatever servers the
 * Project configures. They run in the CLI's view, hand in what a command needs as data, and hold no secret.
 */
import { passedVariables, readVariables, variablesDescriptor } from '../boot/command-variables.ts'
import { shellWords } from '../boot/shell-words.ts'

export interface ShimOptions {
  /** Words that enter the command space; none where there is one place for all. */
  readonly way: readonly string[]
  readonly path: string
  readonly home: string
  readonly workspaceDir: string
}

/** The programs by name. The CLI takes a shell only by a path that contains `bash` or `zsh`. */
export function shims(options: ShimOptions): Readonly<Record<'bash' | 'git' | 'inside', string>> {
  return { bash: bash(options), git: git(options), inside: inside(options) }
}

/** A file of `exportLines`, in the folder above the shims. */
export const variablesFile = 'variables'

function clean({ path, home }: ShimOptions): string {
  const own = shellWords([`HOME=${home}`, `PATH=${path}`, 'SHELL=/bin/bash'])
  return `env -i ${own} ${passedVariables.map((name) => `\${${name}+"${name}=$${name}"}`).join(' ')}`
}

/** A shell inside, which reads the Project's variables first and then the script. */
function entered(options: ShimOptions, script: string): string {
  return `${clean(options)} ${shellWords(options.way)} /bin/sh -c '${readVariables}; ${script}'`
}

/** Beside the shims, wherever the CLI sees them. */
const variables = `${variablesDescriptor}<"\${0%/*}/../${variablesFile}"`

/**
 * The CLI calls its shell in three ways: `-c env`, `-c -l SNAPSHOT_FILE=…`, `-c COMMAND`, where the command begins by sourcing
 * the snapshot and ends by writing the folder that it ended in. The snapshot goes in by a pipe, the folder's name comes
 * back by one: neither view opens a file that the other one names. The snapshot says the CLI's PATH, which begins with the
 * folder of this program: inside, anybody could make that folder. Without --norc bash reads ~/.bashrc where its input is a
 * socket, which an earlier command may have written.
 */
function bash(options: ShimOptions): string {
  return `#!/bin/sh
enter() {
  ${entered(options, within)} within "$PWD" ${shellWords([options.workspaceDir])} "$@" ${variables}
}
case "$#:$1:$2" in
  2:-c:env)
    exec ${clean(options)} env
    ;;
  3:-c:-l)
    file=\${3#SNAPSHOT_FILE=}
    file=\${file%%
*}
    exec 3>&1
    text=$(enter "$file" -c -l "$3" 8>&1 1>&3 3>&-) || exit
    printf '%s\\n' "$text" | sed "s#\${0%/*}:##g" >"$file"
    ;;
  2:-c:"source ${options.home}/.claude/shell-snapshots/"*' && pwd -P >| '*)
    rest=\${2#source }
    snapshot=\${rest%% *}
    rest=\${rest#* }
    folder=\${2##*' && pwd -P >| '}
    exec 3>&1 7<&0
    text=$(cat "$snapshot" | enter "$folder" --norc -c "source /dev/fd/9 $rest" 9<&0 0<&7 7<&- 8>&1 1>&3 3>&-)
    code=$?
    printf '%s\\n' "$text" >"$folder"
    exit $code
    ;;
  *)
    enter '' "$@"
    ;;
esac
`
}

/** Runs inside: $1 the folder to stand in, $2 where that is gone, $3 a file whose text is handed out, then bash's arguments. */
const within = `cd "$1" 2>/dev/null || cd "$2"
file=$3
shift 3
[ -z "$file" ] || mkdir -p "\${file%/*}"
/bin/bash "$@" 8>&-
code=$?
exec 9<&-
[ -z "$file" ] || { timeout 5 head -c ${1024 * 1024} "$file" >&8; rm -f "$file"; } 2>/dev/null
exit $code`

function git(options: ShimOptions): string {
  return `#!/bin/sh
exec ${entered(options, 'cd "$1" && shift && exec git "$@"')} git "$PWD" "$@" ${variables}
`
}

/** \`inside "NAME NAME" COMMAND…\`: with those variables of the CLI's environment besides. */
function inside(options: ShimOptions): string {
  return `#!/bin/sh
names=$1
shift
set -- "$@"
for name in $names; do set -- "$name=$(printenv "$name")" "$@"; done
exec ${entered(options, 'cd "$1" && shift && exec env "$@"')} inside ${shellWords([options.workspaceDir])} "$@" ${variables}
`
}
