// One timer, which does not keep a process alive.
import { clearTimeout, setTimeout } from '../../cipher/base/builtins.cjs'

export class Timer {
  #timer: NodeJS.Timeout | undefined

  get runs(): boolean {
    return this.#timer !== undefined
  }

  start(milliseconds: number, go: () => void): void {
    this.#timer = setTimeout(go, milliseconds)
    this.#timer.unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
