import type { SvcConfig } from '../../client/protocol/model/project.js'
import { watchContent } from '../files/watch-content.js'
import { readFolderConfig } from './folder-config.js'

interface Receivers {
  readonly onChange: (config: SvcConfig) => Promise<void>
  /** Receives what is wrong with the file, or with what it says. What was in effect stays in effect. */
  readonly onBroken: (error: unknown) => void
}

/** Reads the file again each time it is saved, until the answered function is called. */
export function watchConfig(path: string, { onChange, onBroken }: Receivers): () => void {
  let work: Promise<void> = Promise.resolve()
  return watchContent(path, () => {
    work = work.then(() => onChange(readFolderConfig())).catch(onBroken)
  })
}
