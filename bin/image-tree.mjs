#!/usr/bin/env node
// The tree of one program's image: what the Dockerfiles of deploy/ copy above their base.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { onNode24, root } from './on-node-24.mjs'

const MiB = 2 ** 20
/** Above the base image and Node; the agent's CLI apart. */
const gateBytes = 200 * MiB
const goalBytes = 100 * MiB

/** Commands of one machine alone; services have images of their own. */
const neverOfImages = ['up', 'demo']
const services = ['orchestrator', 'memory', 'wrapper']
/** They read skills and pins where those lie. */
const ofSources = ['skills', 'check-pins']

function allBut(...left) {
  return (command) => !neverOfImages.includes(command) && !left.includes(command)
}

/** By the module of each command below `cli/commands`. A new command of operators comes to the images that people work in. */
const programs = {
  orchestrator: { brings: allBut('memory', 'wrapper', ...ofSources) },
  // Its pods are its child processes: wrappers.
  'single-server': { brings: allBut('memory', ...ofSources), agent: true },
  memory: { brings: (command) => command === 'memory' },
  wrapper: { brings: (command) => command === 'wrapper', agent: true },
  cli: { brings: allBut(...services) },
}

const usage = `usage: node bin/image-tree.mjs PROGRAM DIR [--beside FOLDER] [--json]

Writes what the image of PROGRAM has above its base image into DIR, a folder that is not there yet: the built release, and the
packages that the program imports. Run npm ci first.

PROGRAM: ${Object.keys(programs).join(', ')}, or all: each program gets a folder of its name below DIR.

  --beside FOLDER   bring FOLDER below /opt too, which has packages of another lockfile
  --json            print the sizes as JSON, one line for each program

Exit code 1: a tree is larger than ${gateBytes / MiB} MiB. The agent CLI is not counted.`

async function main(given) {
  const at = given.indexOf('--beside')
  const beside = at < 0 ? undefined : given[at + 1]
  const parameters = at < 0 ? given : given.toSpliced(at, 2)
  const [program, dir, ...more] = parameters.filter((each) => each !== '--json')
  if (!(program === 'all' || program in programs) || dir === undefined || more.length > 0) {
    console.error(usage)
    return 2
  }
  const print = parameters.includes('--json') ? JSON.stringify : lineOf
  const wanted = program === 'all' ? Object.keys(programs).map((name) => [name, join(dir, name)]) : [[program, dir]]
  // Loaded here: an older Node reads this file too.
  const { bundle } = await import('./build/bundle.mjs')
  const outDir = mkdtempSync(join(tmpdir(), 'dist-'))
  try {
    const chunks = await bundle({ root, outDir })
    const reports = []
    for (const [name, place] of wanted) reports.push(await writeTree(name, place, { chunks, outDir, beside }))
    for (const report of reports) console.log(print(report))
    return reports.some(({ bytes }) => bytes > gateBytes) ? 1 : 0
  } finally {
    rmSync(outDir, { recursive: true })
  }
}

async function writeTree(program, dir, { chunks, outDir, beside }) {
  const { reach } = await import('./build/reach.mjs')
  const { copyInstalled, filesBelow, neededPackages, putFile, putFiles } = await import('./build/packages.mjs')
  const { brings, agent = false } = programs[program]
  mkdirSync(dirname(dir), { recursive: true })
  mkdirSync(dir)
  const app = join(dir, 'app')
  const needs = reach(chunks, brings)
  const release = ['tool-manifest.json', ...needs.chunks, ...needs.files.flatMap((path) => filesBelow(outDir, path))]
  const programBytes =
    putFiles(outDir, join(app, 'dist'), release) +
    putFiles(root, app, ['package.json', 'bin/statewright.mjs', 'bin/hand-over.mjs'])
  for (const { file, command } of needs.leftOut) writeFileSync(join(app, 'dist', file), refusal(program, command))
  // The list of commands in `--help` goes without them.
  writeFileSync(join(app, 'dist', 'left-out.json'), JSON.stringify(needs.leftOut.map(({ command }) => command)))
  const packages = neededPackages(root, needs).map(({ dir: from, files }) => ({
    name: relative(join(root, 'node_modules'), from),
    version: JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')).version,
    bytes: putFiles(from, join(app, relative(root, from)), files),
  }))
  link(dir, 'usr/local/bin/statewright', 'app/bin/statewright.mjs')
  const apart = agent ? { 'claude-code': agentParts(dir, putFile) } : {}
  const besideBytes = beside === undefined ? 0 : copyInstalled(beside, join(dir, 'opt', basename(beside)))
  const bytes = packages.reduce((sum, each) => sum + each.bytes, programBytes + besideBytes)
  return { program, bytes, goalBytes, gateBytes, programBytes, besideBytes, apart, packages }
}

/** What stands in place of a command: the launcher prints the sentence and ends with 1. */
function refusal(program, command) {
  const sentence = `the image of ${program} does not bring ${command}, because it has only what ${program} needs`
  return `throw new Error(${JSON.stringify(sentence)})\n`
}

/** The agent's CLI as the lockfile pins it, and the program of its status line where the contract fixes it (WRAPPER-IMAGE-4). */
function agentParts(dir, putFile) {
  link(dir, 'usr/local/bin/cc-statusline', 'app/dist/wrapper/usage/statusline.mjs')
  const from = join(root, 'node_modules/@anthropic-ai/claude-code/bin/claude.exe')
  const to = join(dir, 'usr/local/bin/claude')
  putFile(from, to)
  return statSync(to).size
}

/** Relative, so that it leads somewhere in the image and outside of it. */
function link(dir, path, target) {
  const at = join(dir, path)
  mkdirSync(dirname(at), { recursive: true })
  if (!statSync(join(dir, target)).isFile()) throw new Error(`${basename(path)}: ${target} is no file`)
  symlinkSync(relative(dirname(at), join(dir, target)), at)
}

function lineOf({ program, bytes, programBytes, besideBytes, apart, packages }) {
  const inMiB = (count) => `${(count / MiB).toFixed(1)} MiB`
  const named = Object.entries(apart).map(([name, count]) => `; apart: ${name} ${inMiB(count)}`)
  const beside = besideBytes > 0 ? `, beside it ${inMiB(besideBytes)}` : ''
  const goal = bytes > goalBytes ? ', above the goal' : ''
  return `${program}: ${inMiB(bytes)}${goal} (release ${inMiB(programBytes)}, ${packages.length} packages${beside})${named.join('')}`
}

await onNode24(import.meta.url, main, usage)
