//! Pages of the web app that mails link to.

/// The owner's list of grants.
pub(crate) const OWNERS_GRANTS: &str = "/settings#grants";
pub(crate) const ELECTRICIANS_GRANTS: &str = "/electrician-settings#grants";
pub(crate) const OWNERS_SETTINGS: &str = "/settings";
pub(crate) const OWNERS_ALARMS: &str = "/alarms";
pub(crate) const ELECTRICIANS_ALARMS: &str = "/electrician-dashboard?show=alarm";
/// The owner's plan, where planning is turned on and off.
pub(crate) const PLAN: &str = "/plan";
pub(crate) const LOGIN: &str = "/login";
/// For recipients who did not do what the mail reports.
pub(crate) const LOCK: &str = "/lock";
/// Setting a new password; the token is appended when the mail is sent.
pub(crate) const PASSWORD_RESET: &str = "/password_reset#token=";

/// The electrician's list of systems.
pub(crate) const ELECTRICIANS_SYSTEMS: &str = "/electrician-dashboard";

/// One system of an electrician.
pub(crate) fn electricians_system(sn: &domain::Serial) -> String {
    format!("/electrician-dashboard/{sn}")
}

/// The members of an electrician's company.
pub(crate) const COMPANY: &str = "/electrician-settings#company";

/// Accepting an invitation to a company.
pub(crate) fn join(token: &str) -> String {
    format!("/join#token={token}")
}

/// Entering a mailed code.
pub(crate) fn enter_key(code: &str) -> String {
    format!("/register#key={code}")
}

/// The protocol of a commissioning.
pub(crate) fn protocol(id: i64) -> String {
    format!("/protocol/{id}")
}

/// The update of a system.
pub(crate) fn update(sn: &domain::Serial) -> String {
    format!("/update?sn={sn}")
}

/// The updates of all systems.
pub(crate) const UPDATES: &str = "/update";

/// Confirming a new address.
pub(crate) fn confirm_email(token: &str) -> String {
    format!("/settings#email={token}")
}
