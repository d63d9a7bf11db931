/** Reads Dockerfiles and says what is wrong with them. Enough of the language for ours; an unknown instruction is a fault. */
export interface Instruction {
  readonly name: string
  readonly text: string
}

/** Names that the builder is sent, of the text of `.dockerignore`: all else is left out there. */
export function sentNames(dockerignore: string): readonly string[] {
  return dockerignore.split('\n').flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []))
}

export interface Tree {
  /** Whether the path is in the tree and the builder is sent it. */
  isSent(path: string): boolean
  /** Base images, each with its tag. */
  readonly bases: readonly string[]
  /** Digests of them that a run of `pin-images` has recorded, as `image:tag@sha256:...`. */
  readonly pinned: readonly string[]
}

const known = /^(FROM|WORKDIR|COPY|RUN|USER|ENV|VOLUME|EXPOSE|HEALTHCHECK|ENTRYPOINT|CMD)$/
/** A value under such a name would stay in the image's layers; the `_FILE` variables name files of the running container. */
const secretName = /(TOKEN|SECRET|PASSWORD|API_?KEY|CREDENTIAL|DATABASE_URL)\w*\s*[= ]/i

export function readInstructions(text: string): Instruction[] {
  const code = text
    .split('\n')
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join('\n')
  return code
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => {
      const [name = '', ...rest] = line.trim().split(/\s+/)
      return { name: name.toUpperCase(), text: rest.join(' ') }
    })
}

export function faultsOf(text: string, tree: Tree): string[] {
  const instructions = readInstructions(text)
  return [
    ...instructions.filter(({ name }) => !known.test(name)).map(({ name }) => `${name} is not taken here`),
    ...baseFaults(instructions, tree),
    ...instructions
      .filter(({ name, text: said }) => name === 'ENV' && secretName.test(said))
      .map(({ text: said }) => `ENV ${said} keeps a secret`),
    ...instructions.filter(({ name }) => name === 'RUN').flatMap(({ text: said }) => runFaults(said)),
    ...instructions
      .filter(({ name }) => name === 'COPY')
      .flatMap(({ text: said }) => copyFaults(said, stagesOf(instructions), tree)),
    ...targetsOf(instructions).flatMap((target) => targetFaults(target)),
  ]
}

function stagesOf(instructions: readonly Instruction[]): string[] {
  return instructions.flatMap(({ name, text }) =>
    name === 'FROM' && / AS /i.test(text) ? [text.split(' ').at(-1) ?? ''] : [],
  )
}

/** Of each stage that becomes an image its instructions, those of the stages that it stands on first. */
function targetsOf(instructions: readonly Instruction[]): (readonly Instruction[])[] {
  const stages = splitStages(instructions)
  const used = new Set(
    stages.flatMap(({ base, steps }) => [base, ...steps.flatMap(({ text }) => /--from=(\S+)/.exec(text)?.[1] ?? [])]),
  )
  const withBase = (stage: Stage): readonly Instruction[] => {
    const below = stages.find(({ title }) => title === stage.base)
    return [...(below === undefined ? [] : withBase(below)), ...stage.steps]
  }
  return stages.filter(({ title }) => !used.has(title)).map(withBase)
}

export interface Stage {
  /** Empty where it has none. */
  readonly title: string
  /** An image, or the title of an earlier stage. */
  readonly base: string
  readonly steps: readonly Instruction[]
}

export function splitStages(instructions: readonly Instruction[]): readonly Stage[] {
  const starts = instructions.flatMap(({ name }, at) => (name === 'FROM' ? [at] : []))
  return starts.map((at, n) => {
    const [base = '', , title = ''] = instructions[at]!.text.split(' ')
    return { title, base, steps: instructions.slice(at + 1, starts[n + 1]) }
  })
}

function baseFaults(instructions: readonly Instruction[], { bases, pinned }: Tree): string[] {
  const stages = stagesOf(instructions)
  const known = [...bases, ...pinned, ...stages]
  return splitStages(instructions)
    .filter(({ base }) => !known.includes(base))
    .map(({ base }) =>
      base.includes('@')
        ? `FROM ${base} has a digest that no run of pin-images has recorded`
        : `FROM ${base} is no base image of deploy/images/base.json`,
    )
}

function runFaults(said: string): string[] {
  const faults: string[] = []
  if (/\bnpm (install|i)\b|\bnpx\b/.test(said)) faults.push(`RUN ${said} installs what no lockfile pins`)
  if (/apt-get install/.test(said) && !said.includes('--no-install-recommends'))
    faults.push(`RUN ${said} installs what is only recommended`)
  if (/\b(curl|wget)\b/.test(said)) faults.push(`RUN ${said} fetches what nobody verified`)
  return faults
}

function copyFaults(said: string, stages: readonly string[], tree: Tree): string[] {
  const words = said.split(' ')
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length)
  if (from !== undefined) return stages.includes(from) ? [] : [`COPY ${said} takes from no earlier stage`]
  const sources = words.filter((word) => !word.startsWith('--')).slice(0, -1)
  return sources
    .filter((source) => source !== '.' && !tree.isSent(source))
    .map((source) => `COPY ${source}: the builder gets no such file`)
}

function targetFaults(last: readonly Instruction[]): string[] {
  const user = last.findLast(({ name }) => name === 'USER')?.text
  const faults: string[] = []
  if (user === undefined || /^(root|0)(:|$)/.test(user)) faults.push('runs as root')
  if (!last.some(({ name }) => name === 'HEALTHCHECK')) faults.push('has no HEALTHCHECK')
  if (
    last.some(({ name, text }) => name === 'EXPOSE' && text !== '') &&
    !last.some(({ name, text }) => name === 'HEALTHCHECK' && text.includes('/healthz'))
  )
    faults.push('serves, and its HEALTHCHECK does not ask /healthz')
  if (last.some(({ name, text }) => name === 'COPY' && text.startsWith('. '))) faults.push('carries the sources along')
  return faults
}
