/** An event without its time. */
export interface TimelessEvent {
  readonly type: string
  readonly [field: string]: unknown
}

export interface Walk {
  /** The leaf states that it comes to. */
  readonly to: string
  /** From its birth; `timer`: the armed one of this `name`. */
  readonly way: readonly ((context: object) => TimelessEvent)[]
}
