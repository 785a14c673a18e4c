//! The role of a member in a company, in answers.
use domain::CompanyRole;
use serde::Serialize;
use utoipa::ToSchema;

/// The role of a member in the company.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CompanyRoleName {
    Owner,
    Office,
    Technician,
}

impl From<CompanyRole> for CompanyRoleName {
    fn from(role: CompanyRole) -> Self {
        match role {
            CompanyRole::Owner => Self::Owner,
            CompanyRole::Office => Self::Office,
            CompanyRole::Technician => Self::Technician,
        }
    }
}
