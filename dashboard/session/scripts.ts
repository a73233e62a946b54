import { type ComponentType, lazy } from 'react'
import { pause } from '../../client/send.js'
import { registerPreload } from '../parts/preload.js'
import { folderHere } from './guard.js'

const againMilliseconds = 1_000

/** Loads a component from a separate script. */
export function lazyPart<Props>(load: () => Promise<{ default: ComponentType<Props> }>) {
  const script = registerPreload(load)
  return lazy(() => script().catch(reloaded))
}

/** Reloads the page once the emulator answers. A new version may use other script names. */
async function reloaded(): Promise<never> {
  do await pause(againMilliseconds)
  while (!(await folderHere().catch(() => undefined)))
  location.reload()
  return new Promise(() => undefined)
}
