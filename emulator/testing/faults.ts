import type { Control } from '../../client/control.js'
import type { Fault } from '../../client/protocol/model/faults/fault.js'
import type { TestFaults } from './helper.js'

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
