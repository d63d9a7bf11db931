/**
 * What `kubectl explain` teaches of each field whose schema has no words of its own: one sentence, by kind and path.
 * `*` stands for any one name. A field without words is a fault of the generator (describe.ts).
 */
const agentKind = 'of pods of this kind of agent'
const logins = 'Logins on the forge'
const day = 'days since the release'

const ofSpec: Readonly<Record<string, string>> = {
  triggerLabel: 'Label that lets an issue in. Issues of the bot need none.',
  agentPodTTLSeconds: 'Longest life of one pod, in seconds. It does not limit the Task.',
  maxNewTasksPerSweep: 'Most Tasks that one sweep mints.',
  maxOpenTasks: 'Most Tasks in work. Parked, merging and terminal Tasks do not count.',
  maxBundleBytes: 'Hard limit of the text that a pod gets as its assignment, in bytes.',
  autoApproveMaxSignificance:
    'Largest change that an issue of the bot may ship without a maintainer\'s comment. Write "off" in quotes. Empty means off.',
  agent: 'The pods of agents: model, effort, time limits and additions.',
  'agent.model': 'Model for all kinds of agents. Empty: the default of the operator, then of the wrapper.',
  'agent.image': 'Container image of the wrapper. Empty: the default of the operator.',
  'agent.permissionMode': 'Mode of permissions of the agent. Both run without a person.',
  'agent.turnTimeoutSeconds': 'Silence of a turn after which the orchestrator sends a probe, in seconds.',
  'agent.stallProbeGraceSeconds': 'How long a probe waits for its answer, in seconds.',
  'agent.stallProbeMaxAttempts': 'Unanswered probes before the turn is interrupted.',
  'agent.effort': 'Effort of the model, for all kinds of agents.',
  'agent.modelByKind': 'Model by kind of agent. A kind that is not listed uses agent.model.',
  'agent.modelByKind.*': `Model ${agentKind}. It starts with claude-.`,
  'agent.effortByKind': 'Effort by kind of agent. A kind that is not listed uses agent.effort.',
  'agent.effortByKind.*': `Effort ${agentKind}.`,
  'agent.skillsRef': 'Branch, tag or commit of the skills repository that a pod clones.',
  'agent.hooks': "Shell commands that the wrapper runs at points of a pod's life.",
  'agent.hooks.preClone': 'Runs before the wrapper clones the repositories.',
  'agent.hooks.postClone': 'Runs after the wrapper has cloned the repositories.',
  'agent.hooks.conversationStart': 'Runs when the agent begins its first conversation.',
  'agent.hooks.conversationRestart': 'Runs when the agent begins a conversation anew.',
  'agent.hooks.agentTurnFinished': 'Runs after each turn of the agent.',
  'agent.hooks.conversationFinished': 'Runs when the conversation is over, before the pod ends.',
  'agent.extraEnvs':
    "Variables of the wrapper, the hooks and the agent's commands, as Kubernetes writes them. They cannot replace one of the contract.",
  'agent.extraEnvsFrom':
    "Sources of variables of the wrapper, the hooks and the agent's commands, as Kubernetes writes them.",
  'agent.extraVolumeMounts': 'Mounts of the wrapper, as Kubernetes writes them.',
  'agent.extraVolumes': 'Volumes of the pod, as Kubernetes writes them.',
  'agent.extraSidecarContainers': 'Containers beside the wrapper, as Kubernetes writes them.',
  'agent.extraInitContainers': 'Containers that end before the wrapper starts, as Kubernetes writes them.',
  'agent.mcpServers': 'More MCP servers for the agent, each by a name of its own.',
  'agent.mcpServers.name': 'Name of the server, and part of the names of its tools.',
  'agent.mcpServers.url': 'Address of the server, http or https.',
  'agent.mcpServers.type': 'Transport of the server.',
  memory: 'Size of the memory stack. Sizes only grow.',
  'memory.pgInstances': 'Instances of the relational database. Three give high availability.',
  'memory.pgStorage': 'Volume of each instance of the relational database.',
  'memory.pgWalStorage': 'Volume of the write-ahead log of each instance.',
  'memory.neo4jStorage': 'Volume of the graph database.',
  workspace: 'Volumes of Tasks, and of the build cache. Sizes only grow.',
  'workspace.enabled': 'Only false switches the volumes off.',
  'workspace.storageClass':
    'Storage class of the volumes. It must allow reading and writing from several nodes. Empty: the class of the cluster.',
  'workspace.size': 'Volume of each Task.',
  'workspace.cacheEnabled': 'Whether pods of the Project share a build cache.',
  'workspace.cacheSize': 'Volume of the build cache.',
  scm: 'The forge, its people and its paths.',
  'scm.provider': 'forge_a is GitHub, forge_b is GitLab. It cannot change.',
  'scm.owner': 'Organization, group or user on the forge. Every repository lies below it. It cannot change.',
  'scm.botLogin': 'Login of the account whose token scmSecretRef holds. Its comments approve nothing.',
  'scm.botEmail': 'Author address of commits. Empty: the default of the wrapper.',
  'scm.maintainerLogins': `${logins} whose comments approve. Without one nothing can be approved.`,
  'scm.reporterLogins': `${logins} whose issues are let in.`,
  'scm.prReactionScope':
    'Which merge requests of people are reviewed. labeledOrMentioned: with the trigger label or a mention. all and empty: every open one.',
  'scm.includeConfidential':
    'Whether agents read confidential issues and internal notes of GitLab. They can quote them in public threads.',
  'scm.board': 'A board of the forge that shows the phase of Tasks.',
  'scm.board.githubProjectNumber': 'Number of a project of GitHub.',
  'scm.board.gitlabBoardId': 'Id of a board of GitLab.',
  'scm.board.statusField': 'Field of the board that gets the phase.',
  'scm.brainstormingLabel': 'Label of an issue that is being thought about. Empty switches it off.',
  'scm.approvedLabel': 'Label of an issue whose plan is approved. Empty switches it off.',
  'scm.implementationLabel': 'Label of an issue that is being implemented. Empty switches it off.',
  'scm.declinedLabel': 'Label of an issue that was declined. Empty switches it off.',
  'scm.incidentLabel': 'Label of an issue that an alert opened. Empty switches it off.',
  'scm.priorityLabel': 'Label of an issue that goes first. Empty switches it off.',
  'scm.cron': 'Work that a schedule starts.',
  'scm.cron.issueScan': 'The sweep: it mints Tasks for issues that nobody took.',
  'scm.cron.issueScan.maxPerRepo': 'Most open implement Tasks of one repository.',
  'scm.cron.brainstorm': 'Proposals of the agent.',
  'scm.cron.brainstorm.enabled': 'Must be true for any brainstorm.',
  'scm.cron.brainstorm.historyWindow': 'Recent proposals that the agent reads first. 0 shows none.',
  'scm.cron.brainstorm.sources': 'Where the agent looks for ideas. Empty: in the repositories alone.',
  'scm.cron.documentation': 'The nightly batch of documentation.',
  'scm.cron.documentation.maxPerRepo': 'Most open documentation Tasks of one repository.',
  'scm.cron.refine': 'Refining of issues before they are approved.',
  'scm.cron.refine.closedLookbackDays': 'Days of closed issues that a refine reads. 0 means 30.',
  'scm.cron.upgrade': 'Upgrades of dependencies.',
  'scm.cron.upgrade.maxOpenUpgrades': 'Most upgrades that are open at once.',
  alerting: 'Incidents that an alerting system opens.',
  'alerting.enabled': 'Whether alerts open incidents.',
  'alerting.url': 'Address of the alerting system.',
  'alerting.secretRef': 'Name of the Secret with the keys serviceAccountToken and webhookSecret.',
  documentation: 'The documentation agent.',
  'documentation.enabled': 'Whether the documentation agent works.',
  'documentation.repo': 'Repository that gets the documentation. Empty: each repository its own.',
  queue: 'Slots for pods.',
  'queue.capacity': 'Pods of the class normal at most. Default: maxConcurrentAgents.',
  'queue.alertCapacity': 'Slots that only alerts get.',
  tokenBudget: 'A gate that admits no pod once a share of a window of tokens is used.',
  'tokenBudget.enabled': 'Whether the gate is on.',
  'tokenBudget.mode': 'customWindow counts tokens of this Project. claudeSubscription uses what the account reports.',
  'tokenBudget.proactivePercent': 'Share of the window at which normal work waits.',
  'tokenBudget.emergencyPercent': 'Share of the window at which alerts wait too.',
  'tokenBudget.tokenLimit': 'Tokens of one window, for customWindow.',
  'tokenBudget.fiveHourProactivePercent':
    'proactivePercent of the five-hour window, for claudeSubscription. 0 inherits.',
  'tokenBudget.fiveHourEmergencyPercent':
    'emergencyPercent of the five-hour window, for claudeSubscription. 0 inherits.',
  'tokenBudget.weeklyProactivePercent': 'proactivePercent of the weekly window, for claudeSubscription. 0 inherits.',
  'tokenBudget.weeklyEmergencyPercent': 'emergencyPercent of the weekly window, for claudeSubscription. 0 inherits.',
  'tokenBudget.spawnCeilingByKind': 'Accepted, without effect.',
  'tokenBudget.spawnCeilingByKind.*': 'Accepted, without effect.',
  'spending.tokensPerTask': 'Limit of one Task. 0 means no limit.',
  'spending.tokensPerProject': 'Limit of the whole Project. 0 means no limit.',
  upgradePolicy: 'What the upgrade agent is told, and which merge requests of an engine it adopts.',
  'upgradePolicy.engine': 'external: a command of the repository lists upgrades. none: the agent lists them.',
  'upgradePolicy.majorStrategy': 'nextHopOnly takes the smallest step, latest the newest release.',
  'upgradePolicy.minimumReleaseAge': 'How old a release must be before it is proposed.',
  'upgradePolicy.minimumReleaseAge.major': `Of a major release: ${day}.`,
  'upgradePolicy.minimumReleaseAge.minor': `Of a minor release: ${day}.`,
  'upgradePolicy.minimumReleaseAge.patch': `Of a patch release: ${day}.`,
  'upgradePolicy.upgradeEngineLogins': `${logins} of upgrade engines, whose merge requests the platform adopts.`,
}

const ofThread = {
  repositoryRef: 'Name of the Repository.',
  number: 'Its number on the forge.',
} as const

interface Descriptions {
  /** Of the kind itself. */
  readonly about: string
  readonly spec: Readonly<Record<string, string>>
}

export const descriptions: Readonly<Record<string, Descriptions>> = {
  Project: {
    about: 'One owner on a forge, whose repositories agents work on.',
    spec: ofSpec,
  },
  Repository: {
    about: 'A repository of a Project that agents may work on.',
    spec: {
      projectRef: 'Name of the Project, in the same namespace. It cannot change.',
      defaultBranch: 'Base of all work. Empty: the default branch on the forge.',
      maintainerLogins: `${logins} whose comments approve here. Absent: those of the Project. An empty list is empty.`,
      reporterLogins: `${logins} whose issues are let in here. Absent: those of the Project. An empty list is empty.`,
    },
  },
  Task: {
    about: 'One piece of work: from an issue, a schedule, an alert or a person to a merge.',
    spec: {
      projectRef: 'Name of the Project, in the same namespace.',
      kind: 'Kind of the first agent.',
      goal: 'What the agent shall reach, in words.',
      repositories: 'Names of the Repositories that it works on.',
      issues: 'Issues that it owns.',
      'issues.repository': 'Name of the Repository of the issue.',
      'issues.number': 'Number of the issue on the forge.',
      priority: 'A lower number goes first.',
      origin: 'Where it came from. A Task that a person creates has the origin human.',
      'origin.kind': 'What made it.',
      'origin.ref': 'Which one made it.',
    },
  },
  QueuedEvent: {
    about: 'An entry of the queue of a Project: it waits for the slot of one pod.',
    spec: {
      projectRef: 'Name of the Project.',
      sort: 'mint creates its Task when it is admitted, spawn starts the next pod of one.',
      class: 'Alerts have slots of their own.',
      priority: 'A lower number goes first.',
      sequence: 'Order of arrival.',
      kind: 'Kind of the agent.',
      taskRef: 'Name of the Task.',
      payload: 'Unused.',
    },
  },
  Issue: {
    about: 'An issue of the forge as the platform knows it. The orchestrator writes it.',
    spec: ofThread,
  },
  MergeRequest: {
    about: 'A merge request of the forge as the platform knows it. The orchestrator writes it.',
    spec: ofThread,
  },
}
