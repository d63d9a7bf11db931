/** Deliveries to one actor whose order decides what is left (law 8), with the row that makes it so. */
const pairs = {
  'issue: issue.commented and task.ended': 'an owner that has ended is told of no comment',
  'issue: issue.observed and task.delivered': 'a delivery closes what is open, a closed issue is done already',
  'issue: issue.observed and task.ended': 'an owner that has ended is told of no change',
  'merge-request: mr.command and mr.owned': 'a command is told to who owns it by then',
  'merge-request: mr.commented and mr.owned': 'a comment is told to who owns it by then',
  'merge-request: mr.observed and mr.owned': 'news are told to who owns it by then',
  'merge-request: mr.observed and verdict.posted': 'a new head voids the verdict before it, and not the one after it',
  'pod: pod.created and pod.ready': 'a name comes before the URL, or is not asked for any more',
  'pod: pod.created and pod.stop': 'a creation that wins the race is deleted by force',
  'pod: pod.noted and pod.vanished': 'a note that is there needs not be written for it',
  'pod: pod.ready and pod.stop': 'a ready pod is asked for its contract, a stopped one is not',
  'pod: pod.session and pod.stop': 'a pod that works says so before it stops, or never does',
  'pod: pod.session and pod.vanished': 'a pod that works says so before it is lost, or never does',
  'pod: pod.stop and pod.vanished': 'a pod is gone when it was told to stop, and lost otherwise',
  'pod: pod.stop and pod.volumesBound': 'a pod that is told to stop before its volumes are bound was never created',
  'pod: pod.vanished and turn.ended': 'a turn ends by its own word, or with its pod',
  'pod: pod.vanished and turn.requested': 'a lost pod takes no turn',
  'queue: queue.budgeted and queue.opened': 'who is admitted first was admitted by what held then',
  'queue: queue.budgeted and queue.release': 'who gets a slot that is free depends on the budget of then',
  'queue: queue.release and queue.withdraw': 'a slot that is free goes to who waits by then',
  'task: mr.ready and mr.ready': 'merge requests are listed as they came',
  'task: outcome and pod.working': 'an outcome of a pod that has not said that it works is of no stage that counts yet',
} as const

export const dependentPairs: readonly string[] = Object.keys(pairs)
