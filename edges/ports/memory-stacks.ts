import type { StackSight, StackWanted } from '../../machines/memory-stack/events.ts'

/**
 * The memory stacks of Projects, where they run: objects of a cluster, or processes of one machine. Both calls are
 * level-triggered: whatever part of an earlier one was done, even of one that a crash ended between any two objects, they go on
 * from what is there, double nothing, and make no password anew. They wait for nothing that takes longer than an answer.
 * What cannot be asked is thrown, and asked for again. Never two calls for one Project at a time.
 */
export interface MemoryStacks {
  /** Brings the stack nearer to what is wanted, and says how it was found. `project`: `<namespace>/<name>`. */
  reconcile(project: string, wanted: StackWanted, signal: AbortSignal): Promise<StackSight>
  /** Ends what runs of it. What holds data stays, and `words` names it. The phase is `gone` once nothing runs. */
  end(project: string, signal: AbortSignal): Promise<StackSight>
  /** `changed` hears of a part that ended by itself, as a look would find it. Absent: only a look sees that here. */
  watch?(changed: (project: string, sight: StackSight) => void): void
}
