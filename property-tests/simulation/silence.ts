/** Deliveries of some acts get lost for good: what people do unheard. In the calm everything is delivered. */
export class Silence {
  #lost: ReadonlySet<string> | undefined
  #isCalm = false

  becalm(): void {
    this.#isCalm = true
  }

  /** Whether the delivery of what is being done gets lost. */
  loses(event: string): boolean {
    return this.#lost?.has(event) === true
  }

  /** `events`: of both forges, those that tell of the act. */
  async around(isUntold: boolean, events: ReadonlySet<string>, act: () => unknown): Promise<void> {
    if (!isUntold || this.#isCalm) return void (await act())
    this.#lost = events
    await act()
    // The stand-in of GitLab sends what it has collected a little later.
    await new Promise<void>((resolve) => void setImmediate(resolve))
    this.#lost = undefined
  }
}
