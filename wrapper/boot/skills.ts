import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../../http/operational/logging.ts'
import type { WrapperMetrics } from '../metrics.ts'
import { gitText, type Git } from '../workspace/git.ts'
import type { Config } from './config.ts'
import { messageOf } from '../errors.ts'

/** Skills from the skills repository, by staging and rename. A configured source without one skill fails the boot; agents fail open (WRAPPER-SKILLS-1 to WRAPPER-SKILLS-3). */
export async function installSkills(config: Config, git: Git, metrics: WrapperMetrics, logger: Logger): Promise<void> {
  if (config.skills.url === '') return
  const source = join(config.stateDir, 'skills-source')
  await rm(source, { recursive: true, force: true })
  try {
    await cloneAt(git, config, source)
  } catch (error) {
    metrics.skillsCloneFailed('skills_repo')
    throw error
  }
  const skills = await install(join(source, 'skills'), join(config.home, '.claude', 'skills'), async (dir, name) =>
    existsSync(join(dir, name, 'SKILL.md')),
  )
  metrics.skillsInstalled(skills)
  if (skills === 0) throw new Error(`the skills repository has no skill at ${config.skills.ref}`)
  await installAgents(config, source, metrics, logger)
}

/** A ref may be a branch, a tag or a commit, and only a fetch takes all three. */
async function cloneAt(git: Git, config: Config, source: string): Promise<void> {
  await mkdir(source, { recursive: true })
  await gitText(git, ['init', '--quiet', '--template='], { cwd: source })
  await gitText(git, ['fetch', '--quiet', '--depth', '1', config.skills.url, config.skills.ref], {
    cwd: source,
    remote: config.skills.url,
  })
  await gitText(git, ['checkout', '--quiet', 'FETCH_HEAD'], { cwd: source })
}

async function installAgents(config: Config, source: string, metrics: WrapperMetrics, logger: Logger): Promise<void> {
  try {
    const agents = await install(join(source, 'agents'), join(config.home, '.claude', 'agents'), async (_dir, name) =>
      name.endsWith('.md'),
    )
    metrics.agentsInstalled(agents)
  } catch (error) {
    logger.warn({ error: messageOf(error) }, 'agent definitions were not installed')
  }
}

async function install(
  from: string,
  to: string,
  isOne: (dir: string, name: string) => Promise<boolean>,
): Promise<number> {
  const staging = `${to}.staging`
  await rm(staging, { recursive: true, force: true })
  await mkdir(staging, { recursive: true })
  let count = 0
  for (const name of existsSync(from) ? await readdir(from) : []) {
    if (!(await isOne(from, name))) continue
    await cp(join(from, name), join(staging, name), { recursive: true })
    count += 1
  }
  await rm(to, { recursive: true, force: true })
  await rename(staging, to)
  return count
}
