#!/usr/bin/env node
// The release workflow's: asks the registries which digests the base images' tags have, records that, and pins them.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onNode24, root } from './on-node-24.mjs'

const usage = `usage: node bin/pin-images.mjs [DIR]

Asks the registry of each image in DIR/deploy/images/base.json which digest its tag has. Writes what it learned to
DIR/deploy/images/pins.json, and the digest to each FROM line of DIR/deploy/Dockerfile.* that names the image. DIR is this
repository where it is left out.

The release workflows run it before they build. The repository itself has tags alone: a digest in a Dockerfile that no such record
has is refused by a test.

Environment: GITHUB_RUN_ID or CI_PIPELINE_ID, the run that asked. One of them is required.

Exit code 1: a registry did not answer, or has no such tag. Then nothing is written.`

async function main([dir = root, ...more]) {
  const { env } = process
  const run = env.GITHUB_RUN_ID ? `github ${env.GITHUB_RUN_ID}` : env.CI_PIPELINE_ID && `gitlab ${env.CI_PIPELINE_ID}`
  if (more.length > 0 || !run) {
    console.error(
      run ? usage : 'neither GITHUB_RUN_ID nor CI_PIPELINE_ID is set: digests are recorded with the run that asked',
    )
    return 2
  }
  const images = Object.values(JSON.parse(readFileSync(join(dir, 'deploy/images/base.json'), 'utf8')))
  const pins = await learn(images, new Date())
  if (pins === undefined) return 1
  writeFileSync(join(dir, 'deploy/images/pins.json'), `${JSON.stringify({ run, pins }, undefined, 2)}\n`)
  for (const file of globSync('deploy/Dockerfile.*', { cwd: dir })) pinFile(join(dir, file), pins)
  for (const { image, digest } of pins) console.log(`${image}@${digest}`)
  return 0
}

/** Undefined: at least one image has none. All of them are asked, so that a person sees every failure at once. */
async function learn(images, now) {
  // Loaded here: an older Node reads this file too.
  const { askDigest, parseImage } = await import('./build/registry.mjs')
  const pins = []
  let failed = false
  for (const image of images) {
    try {
      const { registry, repository, tag } = parseImage(image)
      const digest = await askDigest({ registry, repository, tag })
      pins.push({ image, registry, repository, tag, digest, at: now.toISOString() })
    } catch (error) {
      console.error(`${image}: ${error.message}${error.cause ? `: ${error.cause.message}` : ''}`)
      failed = true
    }
  }
  return failed ? undefined : pins
}

/** A digest of an earlier run gives way. */
function pinFile(file, pins) {
  const lines = readFileSync(file, 'utf8').split('\n')
  const pinned = lines.map((line) => {
    const [, base, rest = ''] = /^FROM (\S+)(.*)$/.exec(line) ?? []
    const pin = pins.find(({ image }) => image === base?.split('@')[0])
    return pin === undefined ? line : `FROM ${pin.image}@${pin.digest}${rest}`
  })
  writeFileSync(file, pinned.join('\n'))
}

await onNode24(import.meta.url, main, usage)
