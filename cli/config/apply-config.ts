/** Applies a configuration to a running emulator. */
import type { GivenSettings } from '../../client/protocol/control/projects.js'
import type { DevSettings, SvcConfig } from '../../client/protocol/model/project.js'
import { defaultSettings, onlyKeys, type ProjectSettings } from '../../client/protocol/model/project.js'
import { openControl } from '../target/control.js'
import type { EmulatorInfo } from '../target/emulator-file.js'

type Name = keyof ProjectSettings

export interface Applied {
  /** Names of the settings that were applied. */
  readonly changed: readonly string[]
  /** Names of the settings that need a restart. */
  readonly later: readonly string[]
}

/** Settings of `svc dev` that can change while it runs. */
const liveSettings: readonly (keyof DevSettings)[] = ['latency']

/**
 * Changes the settings of the project from one configuration to the next. Resets settings that the file no longer has to their
 * defaults, and keeps those that it never had.
 *
 * @param fixed settings that flags override
 * @throws {SvcError} if the emulator refuses a setting; then none changes
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
  const devNames = changedNames(from.dev, to.dev)
  return {
    changed: [...names, ...devNames.filter((name) => liveSettings.includes(name))],
    later: devNames.filter((name) => !liveSettings.includes(name)).map((name) => `dev.${name}`),
  }
}

function changedNames<Section extends object>(
  from: Section | undefined,
  to: Section | undefined,
): (keyof Section & string)[] {
  const names = Object.keys({ ...from, ...to }) as (keyof Section & string)[]
  return names.filter((name) => JSON.stringify(from?.[name]) !== JSON.stringify(to?.[name]))
}
