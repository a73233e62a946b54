import type { Control } from '../../client/control.js'
import type { Fault, FaultInput, FaultPreset } from '../../client/protocol/model/faults/fault.js'

export type { Fault, FaultInput, FaultPreset }

/** Trouble on purpose, for one project alone. */
export interface TestFaults {
  /**
   * Adds a fault, which is on until it is removed.
   *
   * @example
   * const lost = await project.faults.add({ kind: 'drop', when: 'after', method: 'POST', times: 1 })
   * await lost.remove()
   *
   * @throws {SvcError} `VALIDATION_ERROR` where something that its kind needs is missing
   */
  add(fault: Omit<FaultInput, 'project'>): Promise<TestFault>
  /** Adds the faults of a preset: `slow-3g`, `flaky`, `rate-storm`, `database-down`, `realtime-flaps`. */
  preset(name: FaultPreset, which?: Pick<FaultInput, 'method' | 'path' | 'user' | 'seed'>): Promise<readonly Fault[]>
  /** Those that are on, with how often each has struck. */
  list(): Promise<readonly Fault[]>
  /** Removes all faults of the project. */
  clear(): Promise<void>
}

export interface TestFault extends Fault {
  remove(): Promise<void>
}

export function openTestFaults(control: Control['faults'], project: string): TestFaults {
  return {
    async add(input) {
      const fault = (await control.add({ ...input, project })) as Fault
      const remove = async () => void (await control.remove({ fault: fault.id }))
      return { ...fault, remove }
    },
    preset: async (preset, which = {}) => (await control.addPreset({ preset, ...which, project })).faults,
    list: async () => (await control.list({ project })).faults,
    clear: async () => void (await control.clear({ project })),
  }
}
