import { UpdatePage } from '@/features/update/update-page'
import { ToDashboard } from '../to-dashboard'

export const Update = () => <UpdatePage action={<ToDashboard />} />
