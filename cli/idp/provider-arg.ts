import * as Args from '@oclif/core/args'

export const providerArg = Args.string({ required: true, description: 'name of the provider, such as google' })
