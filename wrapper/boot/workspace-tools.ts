import type { Logger } from '../../http/operational/logging.ts'
import { isLogged } from '../../runtime/outage.ts'
import type { Clock } from '../clock.ts'
import type { CommandSpace } from '../space/space.ts'
import type { Git } from '../workspace/git.ts'
import { createOutsideGit, outsideSide } from '../workspace/outside/git.ts'
import { openInside } from '../workspace/outside/inside.ts'
import { patientGit } from '../workspace/outside/patience.ts'
import type { Crossings } from '../workspace/outside/crossings.ts'
import { createWire } from '../workspace/outside/wire.ts'
import type { Config } from './config.ts'
import { gitHome, writeCredentialHelper } from './git-access.ts'

interface WorkspaceTools extends Crossings {
  /** Gives a git that waits for a gateway that is away, for one piece of work. */
  readonly patient: () => Git
}

interface WorkspaceToolsOptions {
  readonly config: Config
  readonly space: CommandSpace
  /** Absolute path of the Node that runs the helper programs. */
  readonly node: string
  readonly internalUrl: string
  readonly gitKey: string
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Logger
  /** How long an outage of the gateway is waited out now. */
  readonly outageLimitMs: () => number
}

/** Both sides of the workspace and the wire between them (law B1): only `git` has the pod's credential. */
export function openWorkspaceTools(options: WorkspaceToolsOptions): WorkspaceTools {
  const { config, space, node, clock, random, logger } = options
  const { path, bot: identity, workspaceDir } = config
  const own = { path, home: gitHome(config), identity }
  const credential = writeCredentialHelper(config, node, options.internalUrl, options.gitKey)
  const timeoutMs = config.gitLimitMs
  const git = createOutsideGit({ ...own, credential, timeoutMs })
  return {
    git,
    wire: createWire({ space, outside: outsideSide(own), path, identity, timeoutMs }),
    inside: openInside({ space, node, workspaceDir, path, identity, clock, logger }),
    patient: () =>
      patientGit(git, {
        clock,
        random,
        limitMs: options.outageLimitMs,
        onWait: (failure) => {
          if (isLogged(failure.failures))
            logger.warn(failure, 'the git gateway does not answer; the wrapper waits for it')
        },
        onAnswer: (failures) => logger.info({ failures }, 'the git gateway answers again'),
      }),
  }
}
