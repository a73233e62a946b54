/** What a configuration changes in a running emulator. */
import type { GivenSettings } from '../../client/protocol/control/projects.js'
import type { DevSettings, SvcConfig } from '../../client/protocol/model/project.js'
import { defaultSettings, onlyKeys, type ProjectSettings } from '../../client/protocol/model/project.js'
import { openControl } from '../target/control.js'
import type { EmulatorInfo } from '../target/emulator-file.js'

type Name = keyof ProjectSettings

export interface Applied {
  /** What is in effect from now on, by name. */
  readonly changed: readonly string[]
  /** What waits for the next start. */
  readonly later: readonly string[]
}

/** What a running emulator can change, among what `svc dev` was started with. */
const atOnce: readonly (keyof DevSettings)[] = ['latency']

/**
 * Brings the settings of the project from one configuration to the next. A setting that the file no longer names goes back to
 * its default; those that it never named are left as they are. `fixed` are those that a flag decides.
 *
 * @throws {SvcError} if the emulator refuses one of them; then all stay as they were.
 */
export async function applyConfig(
  emulator: Pick<EmulatorInfo, 'url' | 'controlToken' | 'projectId'>,
  { from, to, fixed }: { readonly from: SvcConfig; readonly to: SvcConfig; readonly fixed: readonly Name[] },
): Promise<Applied> {
  const names = changedNames(from.settings, to.settings).filter((name) => !fixed.includes(name))
  if (names.length > 0) {
    const { projects } = openControl(emulator)
    const { projectId: project } = emulator
    const idp = onlyKeys((await projects.get({ project })).settings.idp, to.settings?.idp)
    const next = { ...defaultSettings, ...to.settings, idp }
    const settings = Object.fromEntries(names.map((name) => [name, next[name]]))
    await projects.update({ project, settings: settings as GivenSettings })
  }
  const ofDev = changedNames(from.dev, to.dev)
  return {
    changed: [...names, ...ofDev.filter((name) => atOnce.includes(name))],
    later: ofDev.filter((name) => !atOnce.includes(name)).map((name) => `dev.${name}`),
  }
}

function changedNames<Section extends object>(
  from: Section | undefined,
  to: Section | undefined,
): (keyof Section & string)[] {
  const names = Object.keys({ ...from, ...to }) as (keyof Section & string)[]
  return names.filter((name) => JSON.stringify(from?.[name]) !== JSON.stringify(to?.[name]))
}
