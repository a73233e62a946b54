import type { SvcConfig } from '../../client/protocol/model/project.js'
import { watchContent } from '../files/watch-content.js'
import { readFolderConfig } from './folder-config.js'

interface Receivers {
  readonly onChange: (config: SvcConfig) => Promise<void>
  /** Receives a failure to read or apply the file. The previous settings stay in effect. */
  readonly onBroken: (error: unknown) => void
}

/** Reads the file again whenever it is saved, until the returned function is called. */
export function watchConfig(path: string, { onChange, onBroken }: Receivers): () => void {
  let work: Promise<void> = Promise.resolve()
  return watchContent(path, () => {
    work = work.then(() => onChange(readFolderConfig())).catch(onBroken)
  })
}
